/* mcp_schema.h - JSON Schema (2020-12) of what methods take and reply, from the registry. */
#ifndef SERVE_MCP_SCHEMA_H
#define SERVE_MCP_SCHEMA_H

#include "stele.h"
#include "text.h"

/* The schema of one parameter.  fallback: the default that is told instead of its own, or NULL. */
void mcp_schema_param(sv_text *out, const stele_field *field, const char *fallback);

/* The schema of all parameters of a method: an object. */
void mcp_schema_params(sv_text *out, const stele_method *method);

/* The schema of one column of a reply.  whole: with its description, and null where it may be; else just the type,
** for tools whose descriptions every model has to read, and which do not tell nulls. */
void mcp_schema_result(sv_text *out, const stele_field *field, bool whole);

/* May the parameter be left out? */
bool mcp_may_be_absent(const stele_field *field);

#endif
