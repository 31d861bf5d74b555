/* assistant.h - native methods of the assistant store; the registry refers to them. */
#ifndef ST_ASSISTANT_H
#define ST_ASSISTANT_H

#include "engine/call.h"

/* embedding.c */
void st_assistant_set_embedding(st_call *call);
void st_assistant_get_embedding(st_call *call);
void st_assistant_clear_embedding(st_call *call);
void st_assistant_list_unembedded(st_call *call);
void st_assistant_sweep_embeddings(st_call *call);
void st_assistant_upgrade_embeddings(st_call *call);
/* semantic.c */
void st_assistant_semantic_search(st_call *call);
/* hybrid.c */
void st_assistant_hybrid_search(st_call *call);
/* interactions.c */
void st_assistant_save_interaction(st_call *call);
void st_assistant_get_interactions_by_ids(st_call *call);
/* news.c */
void st_assistant_add_news_topic(st_call *call);
void st_assistant_remove_news_topic(st_call *call);
/* read_later.c */
void st_assistant_delete_read_later(st_call *call);
/* relevant.c */
void st_assistant_find_relevant_read_later(st_call *call);
/* decay.c */
void st_assistant_decay_user_facts(st_call *call);
void st_assistant_upkeep_decay(st_call *call);
/* search.c: every search_* method */
void st_assistant_search(st_call *call);
/* approvals.c */
void st_assistant_claim_pending_action(st_call *call);
void st_assistant_cancel_pending_action(st_call *call);
void st_assistant_fail_pending_action(st_call *call);
void st_assistant_edit_pending_action(st_call *call);
/* today.c */
void st_assistant_count_delegations_today(st_call *call);
void st_assistant_count_followups_today(st_call *call);
void st_assistant_get_tasks_due(st_call *call);
/* schedules.c */
void st_assistant_list_scheduled_tasks(st_call *call);
void st_assistant_get_due_scheduled_tasks(st_call *call);
void st_assistant_next_runs(st_call *call);
/* alerts.c */
void st_assistant_create_alert_rule(st_call *call);
void st_assistant_update_alert_rule(st_call *call);
void st_assistant_get_due_alert_rules(st_call *call);
/* skills.c */
void st_assistant_save_proposed_skill(st_call *call);
void st_assistant_update_proposed_skill(st_call *call);
/* learnings.c */
void st_assistant_save_agent_learning(st_call *call);
void st_assistant_upkeep_promote(st_call *call);
/* context.c */
void st_assistant_set_runtime_config(st_call *call);
void st_assistant_record_heartbeat(st_call *call);
void st_assistant_list_heartbeats(st_call *call);
void st_assistant_mark_once(st_call *call);
void st_assistant_prune_context(st_call *call);
/* health.c */
void st_assistant_save_health_samples(st_call *call);
/* vault.c */
void st_assistant_vault_put(st_call *call);
void st_assistant_vault_get(st_call *call);
void st_assistant_vault_totp(st_call *call);
void st_assistant_vault_rotate(st_call *call);
/* raw_sql.c */
void st_assistant_raw_sql_query(st_call *call);
void st_assistant_raw_sql_execute(st_call *call);
void st_assistant_raw_sql_dryrun(st_call *call);
extern const char *const st_assistant_hidden[]; /* tables that raw SQL does not see: see engine/confine.h */
/* describe_schema.c */
void st_assistant_describe_schema(st_call *call);

/* ---- Shared by them ---- */

/* The day that a time is in, where clocks follow a time zone: from day[0] up to, but not including, day[1]
** (today.c). */
void st_assistant_day(st_call *call, const st_value *timezone, const st_value *now, st_value day[2]);

/* A text as it is kept where case and white space make no difference: in lower case, its words with single spaces
** between them.  field is to blame if it is empty or has more than so many characters (plain.c). */
st_value st_assistant_plain(st_call *call, const char *field, const st_value *text, size_t most);

#endif
