/* batch.c - see batch.h. */
#include "capture/batch.h"

#include "base/alloc.h"

/* Texts of one record may exceed what a batch holds by far; beyond this it is out of memory. */
#define ARENA_MAX ((size_t)512 << 20)

void st_job_free(st_job *job) {
  if (!job) return;
  st_free(job->path);
  st_free(job->state);
  st_free(job->segments);
  st_free(job);
}

static void free_finished(st_batch *batch) {
  while (batch->finished) {
    st_job *job = batch->finished;
    batch->finished = job->next;
    st_job_free(job);
  }
}

static void clear(st_batch *batch) {
  free_finished(batch);
  st_arena arena = batch->arena;
  st_arena_reset(&arena);
  *batch = (st_batch){.arena = arena};
}

bool st_channel_init(st_channel *channel) {
  *channel = (st_channel){.nempty = ST_BATCHES};
  if (pthread_mutex_init(&channel->mutex, NULL) != 0) return false;
  if (pthread_cond_init(&channel->changed, NULL) != 0) {
    pthread_mutex_destroy(&channel->mutex);
    return false;
  }
  for (int i = 0; i < ST_BATCHES; i++) {
    st_arena_init(&channel->batches[i].arena, ARENA_MAX);
    channel->empty[i] = &channel->batches[i];
  }
  return true;
}

void st_channel_free(st_channel *channel) {
  for (int i = 0; i < ST_BATCHES; i++) {
    free_finished(&channel->batches[i]);
    st_arena_free(&channel->batches[i].arena);
  }
  st_job_free(channel->unfinished);
  while (channel->njobs > 0) st_job_free(channel->jobs[(channel->first_job + --channel->njobs) % ST_JOBS]);
  pthread_cond_destroy(&channel->changed);
  pthread_mutex_destroy(&channel->mutex);
}

static void lock(st_channel *channel) { pthread_mutex_lock(&channel->mutex); }

static void unlock(st_channel *channel) {
  pthread_cond_broadcast(&channel->changed);
  pthread_mutex_unlock(&channel->mutex);
}

st_turn_of st_channel_wait(st_channel *channel, bool more_jobs, st_batch **batch) {
  lock(channel);
  while (channel->nfull == 0 && !(more_jobs && channel->njobs < ST_JOBS))
    pthread_cond_wait(&channel->changed, &channel->mutex);
  bool give = more_jobs && channel->njobs < ST_JOBS; /* first, so that the reader never waits for one */
  if (!give) {
    *batch = channel->full[0];
    channel->nfull--;
    for (int i = 0; i < channel->nfull; i++) channel->full[i] = channel->full[i + 1];
  }
  unlock(channel);
  return give ? ST_GIVE_JOB : ST_TAKE_BATCH;
}

void st_channel_give_job(st_channel *channel, st_job *job) {
  lock(channel);
  channel->jobs[(channel->first_job + channel->njobs++) % ST_JOBS] = job;
  unlock(channel);
}

void st_channel_close(st_channel *channel) {
  lock(channel);
  channel->closed = true;
  unlock(channel);
}

void st_channel_stop(st_channel *channel) {
  lock(channel);
  channel->stopped = channel->closed = true;
  unlock(channel);
}

void st_channel_written(st_channel *channel, st_batch *batch) {
  clear(batch);
  lock(channel);
  channel->empty[channel->nempty++] = batch;
  unlock(channel);
}

st_job *st_channel_next_job(st_channel *channel) {
  st_job *job = NULL;
  lock(channel);
  while (channel->njobs == 0 && !channel->closed) pthread_cond_wait(&channel->changed, &channel->mutex);
  if (channel->njobs > 0 && !channel->stopped) {
    job = channel->jobs[channel->first_job];
    channel->first_job = (channel->first_job + 1) % ST_JOBS;
    channel->njobs--;
  }
  unlock(channel);
  return job;
}

st_batch *st_channel_empty_batch(st_channel *channel) {
  st_batch *batch = NULL;
  lock(channel);
  while (channel->nempty == 0 && !channel->stopped) pthread_cond_wait(&channel->changed, &channel->mutex);
  if (!channel->stopped) batch = channel->empty[--channel->nempty];
  unlock(channel);
  return batch;
}

void st_channel_send(st_channel *channel, st_batch *batch) {
  lock(channel);
  channel->full[channel->nfull++] = batch;
  unlock(channel);
}

bool st_channel_is_stopped(st_channel *channel) {
  lock(channel);
  bool stopped = channel->stopped;
  pthread_mutex_unlock(&channel->mutex);
  return stopped;
}
