-- @stores documents
-- Forgetting where the store notes what is new, changed or gone.

-- @method *.forget_notes  none  write  private
-- Blank the notes about rows in whose keys a text stands: the index has them. None is struck out, because the last numbers
-- are never given twice.
-- @param  text  text   the text
-- @feature documents
-- @for sqlite
UPDATE stele_document_change SET id = NULL WHERE instr(id, :text) > 0;
-- @for postgres
UPDATE stele_document_change SET id = NULL WHERE strpos(id, :text) > 0;
-- @for both
