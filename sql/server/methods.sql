-- Methods of the server's own store: bearer tokens. Over HTTP only an administrator reaches them.

-- @method server.create_token  one  write
-- Make a token with which programs call the server. The token is in this reply only: what is kept is
-- its hash.
-- @param  name     text          whose it is, for people
-- @param  scopes   text[] = ["*:read"]  what it may do: store:access, with an asterisk for every store; access is read,
--     write (which includes read) or admin (which includes both)
-- @param  expires_at  time optional  from when on it is no longer valid
-- @param  now      time = now    when it was made
-- @result id       int           its number
-- @result token    text          the secret: keep it, it cannot be told again
-- @result prefix   text          how it begins, as list_tokens shows it
-- @native st_server_create_token

-- @method server.put_token  one  write  private
-- Keep a new token.
-- @param  name        text   whose it is
-- @param  prefix      text   how it begins
-- @param  hash        text   of all of it
-- @param  scopes      json   an array
-- @param  expires_at  time?  its end
-- @param  now         time   when it was made
-- @result id          int    its number
INSERT INTO server_tokens (name, prefix, hash, scopes, created_at, expires_at)
VALUES (:name, :prefix, :hash, :scopes, :now, :expires_at)
RETURNING id;

-- @method server.list_tokens  many  read
-- The tokens, newest first, without their secrets.
-- @result id            int        the token's number
-- @result name          text       whose it is
-- @result prefix        text       how it begins
-- @result scopes        json       what it may do
-- @result created_at    time       when it was made
-- @result expires_at    time?      from when on it is no longer valid
-- @result last_used_at  time?      when it was last used, to about a minute
-- @result revoked_at    time?      since when it is no longer valid
SELECT id, name, prefix, scopes, created_at, expires_at, last_used_at, revoked_at
  FROM server_tokens ORDER BY id DESC;

-- @method server.find_token  one  read
-- The token with this hash, if it is valid: neither revoked nor expired.
-- @param  hash          text        SHA-256 of the token, in hexadecimal digits
-- @param  now           time = now  the time to judge by
-- @result id            int         its number
-- @result name          text        whose it is
-- @result hash          text        its hash
-- @result scopes        json        what it may do
-- @result last_used_at  time?       when it was last used
SELECT id, name, hash, scopes, last_used_at FROM server_tokens
 WHERE hash = :hash AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now);

-- @method server.touch_token  none  write
-- Note that a token was used.
-- @param  id    int         the token
-- @param  now   time = now  when
UPDATE server_tokens SET last_used_at = :now WHERE id = :id;

-- @method server.revoke_token  one  write
-- Make a token invalid, at once and for good. One that is revoked already stays as it is.
-- @param  id          int         the token's number
-- @param  now         time = now  when
-- @result id          int         its number
-- @result revoked_at  time        since when it is invalid
-- @else NOTFOUND id
UPDATE server_tokens SET revoked_at = COALESCE(revoked_at, :now) WHERE id = :id
RETURNING id, revoked_at;

-- @method server.pub_link  one  write
-- The address under which the server gives out the files of a session's pub folder, if it was started with
-- --set pub=DIR. Who has the address needs no token. The first call makes the key, server.key in the home.
-- @param  session  text   the session, as its folder is called
-- @result token    text   HMAC-SHA256 of the session under the key, in hexadecimal digits
-- @result path     text   the address on the server; the name of a file comes behind it
-- @native st_server_pub_link

-- @method server.find_pub  one  read
-- The session that a token of server.pub_link stands for. No row: none of these.
-- @param  token     text    the token
-- @param  sessions  text[]  the sessions it may be
-- @result session   text    the one it is
-- @native st_server_find_pub
