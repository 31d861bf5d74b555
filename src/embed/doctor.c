/* doctor.c - stele.doctor_embedding: can texts be embedded? */
#include "embed/handle.h"
#include "embed/model.h"
#include "engine/doctor.h"
#include "engine/handle.h"
#include "registry_ids.h"

static void tell_static(st_call *call, const char *path) {
  st_problem problem = {0};
  st_model model;
  char name[ST_MODEL_NAME_MAX + 32];
  bool opened = st_model_open(&model, path, &problem);
  if (opened && (!st_arg_int(call, ST_P_STELE_DOCTOR_EMBEDDING_FULL) || st_model_check(&model, &problem))) {
    st_model_id(&model, name, sizeof name);
    st_doctor_line(call, ST_HEALTH_OK, "embedding", "texts are embedded by the model %s: %u numbers", name, model.header->dimension);
  } else {
    st_doctor_line(call, ST_HEALTH_FAIL, "embedding", "the model cannot be used: %s", problem.text);
    st_doctor_cause(call, "without it search goes by words alone");
    st_doctor_fix(call, "`make embeddings` makes one, `stele model import` takes one; or name another with embed.model");
  }
  if (opened) st_model_close(&model);
}

static void tell_endpoint(st_call *call) {
  st_problem problem = {0};
  const st_embedder *embedder = st_handle_embedder(call, &problem);
  if (embedder) {
    st_doctor_line(call, ST_HEALTH_OK, "embedding", "texts are embedded by an endpoint, which is not asked now: %s", st_embedder_model(embedder));
    return;
  }
  st_doctor_line(call, ST_HEALTH_FAIL, "embedding", "the endpoint cannot be used: %s", problem.text);
  st_doctor_cause(call, "without it search goes by words alone");
  st_doctor_fix(call, "mend what is said; `stele config` shows it");
}

void st_stele_doctor_embedding(st_call *call) {
  st_problem none = {0};
  const char *path = NULL;
  if (call->db->embedding.endpoint) tell_endpoint(call);
  else if ((path = st_handle_model(call, &none)) != NULL) tell_static(call, path);
  else if (st_ok(call)) st_doctor_line(call, ST_HEALTH_OK, "embedding", "no model: search goes by words alone");
}
