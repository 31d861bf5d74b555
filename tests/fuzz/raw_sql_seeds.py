"""Seeds for raw SQL: the attacks of tests/assistant, and what SQL is made of."""

from assistant import attacks

PLAIN = ["SELECT * FROM notes", "SELECT n.title, t.title FROM notes n LEFT JOIN tasks t USING (id) WHERE n.id LIKE 'n%' ORDER BY 1 LIMIT 3",
         "UPDATE notes SET title = upper(title) RETURNING *", "INSERT INTO notes SELECT id || 'x', title, content, created_at, NULL FROM notes",
         "DELETE FROM notes WHERE id IN (VALUES ('n'))", "SELECT json_group_array(title) FILTER (WHERE id > '') OVER (PARTITION BY id) FROM notes",
         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n", "SELECT * FROM words WHERE words MATCH 'a OR b*'",
         "INSERT INTO words VALUES ('a')", "UPDATE tasks SET title = 'x'", "INSERT INTO tasks VALUES ('t','t','t',1,1,'t')"]


def raw_sql_seeds(_rng):
    """A byte that chooses the method, then the statement."""
    texts = [*PLAIN, *attacks.BOTH, *attacks.SQLITE]
    return [bytes([method]) + text.encode() for text in texts for method in range(3)]


SEEDS = {"raw_sql": raw_sql_seeds}
