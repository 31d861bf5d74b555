-- Memory files: the six commands of the memory tool. Paths begin with /memories; a file holds text of at
-- most 1 MiB. What a command says is in `text`, written for a model.

-- @method server.memory_view  one  read
-- Show a directory (two levels of it, with sizes; hidden items and node_modules are left out) or a file,
-- with line numbers.
-- @param  path        text            what: /memories, or something in it
-- @param  view_range  int[] optional  of a file: the first and the last line to show; -1 as the last: to the end
-- @result path        text            what was shown
-- @result kind        text            file or directory
-- @result text        text            what is in it
-- @native st_server_memory_view

-- @method server.memory_create  one  write
-- Write a new file. Directories need not be made.
-- @param  path        text        where
-- @param  file_text   text        what
-- @param  now         time = now  when
-- @result path        text        the file
-- @result text        text        what was done
-- @feature memory
-- @native st_server_memory_create

-- @method server.memory_str_replace  one  write
-- Replace a text that stands exactly once in a file.
-- @param  path        text        the file
-- @param  old_str     text        what stands there, to the letter
-- @param  new_str     text = ""   what is to stand there instead
-- @param  now         time = now  when
-- @result path        text        the file
-- @result text        text        what was done, and the lines around it
-- @feature memory
-- @native st_server_memory_str_replace

-- @method server.memory_insert  one  write
-- Insert lines into a file.
-- @param  path         text        the file
-- @param  insert_line  int         behind this line; 0: at the beginning
-- @param  insert_text  text        what
-- @param  now          time = now  when
-- @result path         text        the file
-- @result text         text        what was done, and the lines around it
-- @feature memory
-- @native st_server_memory_insert

-- @method server.memory_delete  one  write
-- Delete a file, or a directory with all that is in it.
-- @param  path        text   which
-- @result path        text   what was deleted
-- @result deleted     int    how many files that were
-- @result text        text   what was done
-- @feature memory
-- @native st_server_memory_delete

-- @method server.memory_rename  one  write
-- Move a file or a directory. Nothing may be there yet.
-- @param  old_path    text        what
-- @param  new_path    text        where to
-- @param  now         time = now  when
-- @result path        text        where it is now
-- @result moved       int         how many files that were
-- @result text        text        what was done
-- @feature memory
-- @native st_server_memory_rename

-- @method server.read_memory  one  read  private
-- A file.
-- @param  path     text   which
-- @result content  text   what is in it
SELECT f.content
  FROM memory_files AS f                                                                            -- @has memory
  FROM (SELECT CAST('' AS TEXT) AS path, CAST('' AS TEXT) AS content WHERE 1 = 0) AS f              -- @lacks memory
 WHERE f.path = :path;

-- @method server.list_memory  many  read  private
-- The files of a directory, by their paths: those from `first` on, before `behind`.
-- @param  first   text   the directory with a slash behind it
-- @param  behind  text   the first text that no path in it can be
-- @param  limit   int    at most this many
-- @result path    text   a file
-- @result bytes   int    its size
SELECT f.path, f.bytes
  FROM memory_files AS f                                                                            -- @has memory
  FROM (SELECT CAST('' AS TEXT) AS path, CAST(0 AS BIGINT) AS bytes WHERE 1 = 0) AS f               -- @lacks memory
 WHERE f.path >= :first AND f.path < :behind
 ORDER BY f.path LIMIT :limit;

-- @method server.write_memory  none  write  private
-- Keep a file, new or changed.
-- @param  path     text   which
-- @param  content  text   what is in it
-- @param  bytes    int    its size
-- @param  now      time   when
-- @feature memory
INSERT INTO memory_files (path, content, bytes, created_at, updated_at)
VALUES (:path, :content, :bytes, :now, :now)
ON CONFLICT (path) DO UPDATE SET content = excluded.content, bytes = excluded.bytes, updated_at = excluded.updated_at;

-- @method server.count_memory  one  read  private
-- How many files there are.
-- @result count  int   files
-- @feature memory
SELECT COUNT(*) AS count FROM memory_files;

-- @method server.remove_memory  none  write  private
-- Delete a file, or the files of a directory.
-- @param  path     text          which
-- @param  first    text          the directory with a slash behind it
-- @param  behind   text          the first text that no path in it can be
-- @result deleted  int changed   files
-- @feature memory
DELETE FROM memory_files WHERE path = :path OR (path >= :first AND path < :behind);

-- @method server.move_memory  none  write  private
-- Give a file, or the files of a directory, another path.
-- @param  path     text          which
-- @param  first    text          the directory with a slash behind it
-- @param  behind   text          the first text that no path in it can be
-- @param  to       text          its new path
-- @param  now      time          when
-- @result moved    int changed   files
-- @feature memory
UPDATE memory_files SET path = :to || SUBSTR(path, LENGTH(:path) + 1), updated_at = :now
 WHERE path = :path OR (path >= :first AND path < :behind);
