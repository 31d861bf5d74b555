/* postgres_library.h - libpq, loaded when a store on PostgreSQL is first opened: it brings a dozen libraries along, and most
** who use Stele have files.  The sources call its functions by the names that its manual has. */
#ifndef ST_POSTGRES_LIBRARY_H
#define ST_POSTGRES_LIBRARY_H

#include <libpq-fe.h>

/* What of it is used; each of them is defined below as well, which the compiler and the linker see to. */
#define ST_POSTGRES_FUNCTIONS(X) \
  X(PQbackendPID)                \
  X(PQcancel)                    \
  X(PQclear)                     \
  X(PQcmdStatus)                 \
  X(PQcmdTuples)                 \
  X(PQconnectdbParams)           \
  X(PQconninfo)                  \
  X(PQconninfoFree)              \
  X(PQconninfoParse)             \
  X(PQconsumeInput)              \
  X(PQdescribePrepared)          \
  X(PQenterPipelineMode)         \
  X(PQerrorMessage)              \
  X(PQescapeIdentifier)          \
  X(PQescapeLiteral)             \
  X(PQexec)                      \
  X(PQexecParams)                \
  X(PQexecPrepared)              \
  X(PQexitPipelineMode)          \
  X(PQfinish)                    \
  X(PQfmod)                      \
  X(PQfname)                     \
  X(PQfreeCancel)                \
  X(PQfreemem)                   \
  X(PQfformat)                 \
  X(PQftype)                     \
  X(PQgetCancel)                 \
  X(PQgetResult)                 \
  X(PQgetisnull)                 \
  X(PQgetlength)                 \
  X(PQgetvalue)                  \
  X(PQnfields)                   \
  X(PQnparams)                   \
  X(PQntuples)                   \
  X(PQparamtype)                 \
  X(PQpipelineSync)              \
  X(PQprepare)                   \
  X(PQreset)                     \
  X(PQresultErrorField)          \
  X(PQresultErrorMessage)        \
  X(PQresultStatus)              \
  X(PQsendQuery)                 \
  X(PQsendQueryPrepared)         \
  X(PQsetNoticeReceiver)         \
  X(PQsetSingleRowMode)          \
  X(PQstatus)                    \
  X(PQtransactionStatus)

/* Filled by st_postgres_load(): there is no connection without it. */
typedef struct st_postgres_library {
#define ST_POSTGRES_X(name) __typeof__(&name) name;
  ST_POSTGRES_FUNCTIONS(ST_POSTGRES_X)
#undef ST_POSTGRES_X
} st_postgres_library;

extern st_postgres_library st_libpq;

#define PQbackendPID st_libpq.PQbackendPID
#define PQcancel st_libpq.PQcancel
#define PQclear st_libpq.PQclear
#define PQcmdStatus st_libpq.PQcmdStatus
#define PQcmdTuples st_libpq.PQcmdTuples
#define PQconnectdbParams st_libpq.PQconnectdbParams
#define PQconninfo st_libpq.PQconninfo
#define PQconninfoFree st_libpq.PQconninfoFree
#define PQconninfoParse st_libpq.PQconninfoParse
#define PQconsumeInput st_libpq.PQconsumeInput
#define PQdescribePrepared st_libpq.PQdescribePrepared
#define PQenterPipelineMode st_libpq.PQenterPipelineMode
#define PQerrorMessage st_libpq.PQerrorMessage
#define PQescapeIdentifier st_libpq.PQescapeIdentifier
#define PQescapeLiteral st_libpq.PQescapeLiteral
#define PQexec st_libpq.PQexec
#define PQexecParams st_libpq.PQexecParams
#define PQexecPrepared st_libpq.PQexecPrepared
#define PQexitPipelineMode st_libpq.PQexitPipelineMode
#define PQfinish st_libpq.PQfinish
#define PQfmod st_libpq.PQfmod
#define PQfname st_libpq.PQfname
#define PQfreeCancel st_libpq.PQfreeCancel
#define PQfreemem st_libpq.PQfreemem
#define PQfformat st_libpq.PQfformat
#define PQftype st_libpq.PQftype
#define PQgetCancel st_libpq.PQgetCancel
#define PQgetResult st_libpq.PQgetResult
#define PQgetisnull st_libpq.PQgetisnull
#define PQgetlength st_libpq.PQgetlength
#define PQgetvalue st_libpq.PQgetvalue
#define PQnfields st_libpq.PQnfields
#define PQnparams st_libpq.PQnparams
#define PQntuples st_libpq.PQntuples
#define PQparamtype st_libpq.PQparamtype
#define PQpipelineSync st_libpq.PQpipelineSync
#define PQprepare st_libpq.PQprepare
#define PQreset st_libpq.PQreset
#define PQresultErrorField st_libpq.PQresultErrorField
#define PQresultErrorMessage st_libpq.PQresultErrorMessage
#define PQresultStatus st_libpq.PQresultStatus
#define PQsendQuery st_libpq.PQsendQuery
#define PQsendQueryPrepared st_libpq.PQsendQueryPrepared
#define PQsetNoticeReceiver st_libpq.PQsetNoticeReceiver
#define PQsetSingleRowMode st_libpq.PQsetSingleRowMode
#define PQstatus st_libpq.PQstatus
#define PQtransactionStatus st_libpq.PQtransactionStatus

/* NULL: it is there.  Otherwise why not, and what to do about it. */
const char *st_postgres_load(void);

#endif
