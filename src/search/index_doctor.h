/* index_doctor.h - lines of the checkup about the search index of a store. */
#ifndef ST_INDEX_DOCTOR_H
#define ST_INDEX_DOCTOR_H

#include "engine/call.h"

void st_conversation_doctor(st_call *call);
void st_documents_doctor(st_call *call);

#endif
