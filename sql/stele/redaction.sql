-- Redaction: secrets are taken out of texts before they are kept.

-- @method stele.redact  one  read
-- A text without the secrets in it, as it would be kept. What is redacted already stays as it is.
-- @param  text      text           any text
-- @param  json      bool = false   it is JSON: strings are read as they mean, and names tell what their values are
-- @result text      text           the same without secrets
-- @result count     int            how many were taken out
-- @result rules     json           an array of objects: rule, count
-- @result given_up  int            patterns that took too long; what stood there was taken out
-- @native st_stele_redact

-- @method stele.redaction_rules  many  read
-- The rules by which texts are redacted: the built-in ones, then those of the user.
-- @result name         text   the rule
-- @result family       text   what kind of secret it finds; user: a rule of the user
-- @result builtin      bool   it comes with Stele
-- @result disabled     bool   the user does not want it
-- @result replacement  text   what stands in place of a secret
-- @native st_stele_redaction_rules
