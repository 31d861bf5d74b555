-- Self-improvement: requests that were declined, skills drafted for them, and corrections of behaviour.

-- @method assistant.save_capability_gap  one  write
-- Keep a request that was declined. An id that is there already is refused.
-- @param  id                    text = new       its id
-- @param  user_message          text             what was asked
-- @param  agent_response        text             how it was declined
-- @param  classification        text(gap|available|unknown) = "unknown"    is the capability missing, or was it not found?
-- @param  suspected_capability  text? = null     what was wanted, in a few words
-- @param  classifier_reason     text? = null     why it is classified so
-- @param  grep_evidence         text? = null     what of the source speaks for it
-- @param  status                text(open|resolved|dismissed) = "open"     where it stands
-- @param  created_at            time = now       when it was declined
-- @param  resolved_at           time? = null     when it was closed
-- @result id                    text             its id
-- @else INVALID id
INSERT INTO capability_gaps (id, user_message, agent_response, classification, suspected_capability, classifier_reason,
                             grep_evidence, status, created_at, resolved_at)
VALUES (:id, :user_message, :agent_response, :classification, :suspected_capability, :classifier_reason,
        :grep_evidence, :status, :created_at, :resolved_at)
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- @method assistant.get_capability_gap  one  read
-- A request that was declined, or null.
-- @param  id                    text    which
-- @result id                    text    its id
-- @result user_message          text    what was asked
-- @result agent_response        text    how it was declined
-- @result classification        text    gap, available or unknown
-- @result suspected_capability  text?   what was wanted, in a few words
-- @result classifier_reason     text?   why it is classified so
-- @result grep_evidence         text?   what of the source speaks for it
-- @result status                text    open, resolved or dismissed
-- @result created_at            time    when it was declined
-- @result resolved_at           time?   when it was closed
SELECT id, user_message, agent_response, classification, suspected_capability, classifier_reason, grep_evidence,
       status, created_at, resolved_at
  FROM capability_gaps WHERE id = :id;

-- @method assistant.list_capability_gaps  many  read
-- Requests that were declined, the newest first.
-- @param  status          text(open|resolved|dismissed) optional   only those of this status
-- @param  classification  text(gap|available|unknown) optional     only those of this class
-- @results assistant.get_capability_gap
SELECT id, user_message, agent_response, classification, suspected_capability, classifier_reason, grep_evidence,
       status, created_at, resolved_at
  FROM capability_gaps
 WHERE TRUE
   AND status = :status                                      -- @if status
   AND classification = :classification                      -- @if classification
 ORDER BY created_at DESC, id;

-- @method assistant.update_capability_gap  none  write
-- Write what is named of a declined request; the rest stays. One that becomes resolved or dismissed gets the time, one
-- that is opened again loses it.
-- @param  id                    text             which
-- @param  classification        text(gap|available|unknown) optional     is the capability missing, or was it not found?
-- @param  suspected_capability  text? optional   what was wanted, in a few words
-- @param  classifier_reason     text? optional   why it is classified so
-- @param  grep_evidence         text? optional   what of the source speaks for it
-- @param  status                text(open|resolved|dismissed) optional   where it stands
-- @param  resolved_at           time = now       when it was closed, if status says so
-- @result updated               int changed      1, or 0 if there is none of that id
UPDATE capability_gaps
   SET id = id
     , classification = :classification                      -- @if classification
     , suspected_capability = :suspected_capability          -- @if suspected_capability
     , classifier_reason = :classifier_reason                -- @if classifier_reason
     , grep_evidence = :grep_evidence                        -- @if grep_evidence
     , status = :status                                      -- @if status
     , resolved_at = CASE :status WHEN 'open' THEN NULL WHEN status THEN resolved_at ELSE :resolved_at END -- @if status
 WHERE id = :id;

-- @method assistant.save_proposed_skill  one  write
-- Keep the draft of a skill. An id that is there already is refused, and so is a name that a draft or an activated
-- skill has.
-- @param  id                 text = new     its id
-- @param  gap_id             text? = null   the declined request it is for
-- @param  name               text           its name
-- @param  description        text           what it does
-- @param  code               text           its source
-- @param  validation_status  text(pending|passed|failed) = "pending"    was the source checked?
-- @param  validation_output  text? = null   what the check said
-- @param  status             text(draft|activated|rejected) = "draft"   where it stands
-- @param  created_at         time = now     when it was drafted
-- @param  activated_at       time? = null   when it was activated
-- @result id                 text           its id
-- @native st_assistant_save_proposed_skill

-- @method assistant.insert_proposed_skill  one  write  private
-- Write the draft of a skill.
-- @param  id                 text    its id
-- @param  gap_id             text?   the declined request it is for
-- @param  name               text    its name
-- @param  description        text    what it does
-- @param  code               text    its source
-- @param  validation_status  text    was the source checked?
-- @param  validation_output  text?   what the check said
-- @param  status             text    where it stands
-- @param  created_at         time    when it was drafted
-- @param  activated_at       time?   when it was activated
-- @result id                 text    its id
INSERT INTO proposed_skills (id, gap_id, name, description, code, validation_status, validation_output, status,
                             created_at, activated_at)
VALUES (:id, :gap_id, :name, :description, :code, :validation_status, :validation_output, :status,
        :created_at, :activated_at)
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- @method assistant.get_proposed_skill  one  read
-- A drafted skill, or null.
-- @param  id                 text    which
-- @result id                 text    its id
-- @result gap_id             text?   the declined request it is for
-- @result name               text    its name
-- @result description        text    what it does
-- @result code               text    its source
-- @result validation_status  text    pending, passed or failed
-- @result validation_output  text?   what the check said
-- @result status             text    draft, activated or rejected
-- @result created_at         time    when it was drafted
-- @result activated_at       time?   when it was activated
SELECT id, gap_id, name, description, code, validation_status, validation_output, status, created_at, activated_at
  FROM proposed_skills WHERE id = :id;

-- @method assistant.list_proposed_skills  many  read
-- Drafted skills, the newest first.
-- @param  status  text(draft|activated|rejected) optional   only those of this status
-- @results assistant.get_proposed_skill
SELECT id, gap_id, name, description, code, validation_status, validation_output, status, created_at, activated_at
  FROM proposed_skills
 WHERE status = :status                                      -- @if status
 ORDER BY created_at DESC, id;

-- @method assistant.update_proposed_skill  none  write
-- Write what is named of a drafted skill; the rest stays. One that becomes activated gets the time. A name that
-- another draft or activated skill has is refused.
-- @param  id                 text             which
-- @param  name               text optional    its name
-- @param  description        text optional    what it does
-- @param  code               text optional    its source
-- @param  validation_status  text(pending|passed|failed) optional    was the source checked?
-- @param  validation_output  text? optional   what the check said
-- @param  status             text(draft|activated|rejected) optional   where it stands
-- @param  activated_at       time = now       when it was activated, if status says so
-- @result updated            int              1, or 0 if there is none of that id
-- @native st_assistant_update_proposed_skill

-- @method assistant.write_proposed_skill  none  write  private
-- Write what is named of a drafted skill.
-- @param  id                 text             which
-- @param  name               text optional    its name
-- @param  description        text optional    what it does
-- @param  code               text optional    its source
-- @param  validation_status  text optional    was the source checked?
-- @param  validation_output  text? optional   what the check said
-- @param  status             text optional    where it stands
-- @param  activated_at       time             when it was activated, if status says so
UPDATE proposed_skills
   SET id = id
     , name = :name                                          -- @if name
     , description = :description                            -- @if description
     , code = :code                                          -- @if code
     , validation_status = :validation_status                -- @if validation_status
     , validation_output = :validation_output                -- @if validation_output
     , status = :status                                      -- @if status
     , activated_at = CASE WHEN :status <> 'activated' OR status = 'activated' THEN activated_at ELSE :activated_at END -- @if status
 WHERE id = :id;

-- @method assistant.look_skill_name  one  read  private
-- The skill that has a name: a draft or an activated one, not this one.
-- @param  name    text   the name
-- @param  id      text   not the skill of this id
-- @result id      text   its id
-- @result status  text   draft or activated
SELECT id, status FROM proposed_skills
 WHERE name = :name AND id <> :id AND status IN ('draft', 'activated')
 ORDER BY id LIMIT 1;

-- @method assistant.save_agent_learning  one  write
-- Note a correction of behaviour. A rule is kept in small letters, its spaces single; one that is known already is
-- counted, and from the second time on it is active.
-- @param  id                text = new   its id, if it is new
-- @param  rule              text         a short sentence, at most 200 characters
-- @param  category          text         response_format, tool_usage, decision_making, tone, scope, ...
-- @param  now               time = now   when it was seen
-- @result id                text         the id of the rule
-- @result recurrence_count  int          how often it was seen
-- @result status            text         candidate or active
-- @native st_assistant_save_agent_learning

-- @method assistant.count_agent_learning  one  write  private
-- Keep a rule, or count it.
-- @param  id                text   its id, if it is new
-- @param  rule              text   the rule, as it is kept
-- @param  category          text   what it is about
-- @param  now               time   when it was seen
-- @result id                text   the id of the rule
-- @result recurrence_count  int    how often it was seen
-- @result status            text   candidate or active
INSERT INTO agent_learnings (id, rule, category, recurrence_count, status, first_seen, last_seen)
VALUES (:id, :rule, :category, 1, 'candidate', :now, :now)
ON CONFLICT (rule) DO UPDATE
   SET recurrence_count = agent_learnings.recurrence_count + 1,
       status = CASE WHEN agent_learnings.recurrence_count + 1 >= 2 THEN 'active' ELSE agent_learnings.status END,
       last_seen = CASE WHEN excluded.last_seen > agent_learnings.last_seen THEN excluded.last_seen
                        ELSE agent_learnings.last_seen END
RETURNING id, recurrence_count, status;

-- @method assistant.look_agent_learning  one  read  private
-- The other rule that has an id.
-- @param  id    text   the id
-- @param  rule  text   not this rule
-- @result rule  text   the rule
SELECT rule FROM agent_learnings WHERE id = :id AND rule <> :rule;

-- @method assistant.get_agent_learnings  many  read
-- Corrections of behaviour, those seen most often first.
-- @param  status            text(candidate|active) optional   only those of this status
-- @result id                text   its id
-- @result rule              text   the rule
-- @result category          text   what it is about
-- @result recurrence_count  int    how often it was seen
-- @result status            text   candidate or active
-- @result first_seen        time   when it was seen first
-- @result last_seen         time   when it was seen last
SELECT id, rule, category, recurrence_count, status, first_seen, last_seen
  FROM agent_learnings
 WHERE status = :status                                      -- @if status
 ORDER BY recurrence_count DESC, last_seen DESC, id;

-- @method assistant.delete_agent_learning  none  write
-- Forget a correction.
-- @param  id       text          which
-- @result deleted  int changed   1, or 0 if there is none of that id
DELETE FROM agent_learnings WHERE id = :id;
