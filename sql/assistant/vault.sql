-- The vault: logins whose user name, password and seed of one-time codes are Fernet tokens.
--
-- save_vault_entry and get_vault_entry pass tokens on as they are; vault_put, vault_get, vault_totp and vault_rotate make
-- and open them with the keys that the handle was given.

-- @method assistant.save_vault_entry  one  admin
-- Keep a login that is encrypted already. One of the same service is written anew, with its id and its time of creation kept.
-- @param  id             text = new              the entry's id, if it is new
-- @param  service        text                    the name it is looked up by
-- @param  domains        text = ""               host names it is for, with commas between; not secret
-- @param  username_enc   text secret             the user name, as a Fernet token
-- @param  password_enc   text secret             the password, as a Fernet token
-- @param  totp_seed_enc  text? secret = null     the seed of one-time codes, as a Fernet token
-- @param  created_at     time = now              when it was made
-- @param  updated_at     time = now              when it was last changed
-- @result id             text                    the entry's id
INSERT INTO vault_credentials (id, service, domains, username_enc, password_enc, totp_seed_enc, created_at, updated_at)
VALUES (:id, :service, :domains, :username_enc, :password_enc, :totp_seed_enc, :created_at, :updated_at)
ON CONFLICT (service) DO UPDATE
   SET domains = excluded.domains, username_enc = excluded.username_enc, password_enc = excluded.password_enc,
       totp_seed_enc = excluded.totp_seed_enc, updated_at = excluded.updated_at
RETURNING id;

-- @method assistant.get_vault_entry  one  admin
-- A login as it is kept, encrypted; or null.
-- @param  service        text           which
-- @result id             text           its id
-- @result service        text           the name it is looked up by
-- @result domains        text           host names it is for, with commas between
-- @result username_enc   text secret    the user name, as a Fernet token
-- @result password_enc   text secret    the password, as a Fernet token
-- @result totp_seed_enc  text? secret   the seed of one-time codes, as a Fernet token
-- @result created_at     time           when it was made
-- @result updated_at     time           when it was last changed
SELECT id, service, domains, username_enc, password_enc, totp_seed_enc, created_at, updated_at
  FROM vault_credentials WHERE service = :service;

-- @method assistant.list_vault_services  many  read
-- The services that the vault has a login for, by name.
-- @result service  text  the name
SELECT service FROM vault_credentials ORDER BY service;

-- @method assistant.list_vault_meta  many  read
-- The logins of the vault, by service, without what is encrypted.
-- @result id          text  its id
-- @result service     text  the name it is looked up by
-- @result domains     text  host names it is for, with commas between
-- @result has_totp    bool  there is a seed of one-time codes
-- @result created_at  time  when it was made
-- @result updated_at  time  when it was last changed
SELECT id, service, domains, totp_seed_enc IS NOT NULL AS has_totp, created_at, updated_at
  FROM vault_credentials ORDER BY service;

-- @method assistant.delete_vault_entry  none  admin
-- Delete a login.
-- @param  service  text         which
-- @result deleted  int changed  1, or 0 if there is none
DELETE FROM vault_credentials WHERE service = :service;

-- @method assistant.vault_put  one  admin
-- Encrypt a login with the first vault key and keep it. One of the same service is written anew.
-- @param  id         text = new               the entry's id, if it is new
-- @param  service    text                     the name it is looked up by
-- @param  domains    text optional            host names it is for, with commas between; absent: as they were
-- @param  username   text secret              the user name
-- @param  password   text secret              the password
-- @param  totp_seed  text? secret optional    the seed of one-time codes: base32, or an otpauth://totp/ address;
--     null: none, absent: as it was
-- @param  now        time = now               when it is written
-- @result id         text                     the entry's id
-- @native st_assistant_vault_put

-- @method assistant.vault_get  one  admin
-- A login, decrypted; or null.
-- @param  service   text         which
-- @result service   text         the name it is looked up by
-- @result domains   text         host names it is for, with commas between
-- @result username  text secret  the user name
-- @result password  text secret  the password
-- @result has_totp  bool         there is a seed of one-time codes
-- @native st_assistant_vault_get

-- @method assistant.vault_totp  one  admin
-- The one-time code of a login (RFC 6238).
-- @param  service    text         which
-- @param  now        time = now   the code of that time
-- @result code       text secret  the code
-- @result valid_for  int          seconds for which it is
-- @native st_assistant_vault_totp

-- @method assistant.vault_rotate  one  admin
-- Encrypt every login anew with the first vault key, in one transaction. One that no key opens stays as it is, and is told.
-- @result rotated     int   how many logins were encrypted anew
-- @result unreadable  json  an array: the services of those that no key opens
-- @native st_assistant_vault_rotate

-- @method assistant.set_vault_tokens  none  admin  private
-- Put other tokens in the place of a login's: it is the same login.
-- @param  service        text           which
-- @param  username_enc   text secret    the user name
-- @param  password_enc   text secret    the password
-- @param  totp_seed_enc  text? secret   the seed of one-time codes
UPDATE vault_credentials
   SET username_enc = :username_enc, password_enc = :password_enc, totp_seed_enc = :totp_seed_enc
 WHERE service = :service;
