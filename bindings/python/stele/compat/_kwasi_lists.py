"""StoragePort: notes, tasks, reminders, what to read, the journal and news."""

from ._kwasi_access import Access
from ._kwasi_models import JournalEntry, NewsTopic, Note, ReadLaterItem, Reminder, SeenStory, Task


class Lists(Access):
    # Notes

    async def save_note(self, note: Note) -> None:
        await self._save("save_note", note)

    async def get_notes(self) -> list[Note]:
        return await self._every(Note, "get_notes")

    async def search_notes(self, query: str) -> list[Note]:
        return await self._every(Note, "search_notes", query=query)

    async def update_note(self, note_id: str, title: str, content: str) -> bool:
        return await self._change("update_note", id=note_id, title=title, content=content)

    async def delete_note(self, note_id: str) -> bool:
        return await self._change("delete_note", id=note_id)

    # Tasks

    async def create_task(self, task: Task) -> None:
        await self._save("create_task", task)

    async def list_tasks(self, status: str | None = None) -> list[Task]:
        return await self._every(Task, "list_tasks", status=status)

    async def search_tasks(self, query: str) -> list[Task]:
        return await self._every(Task, "search_tasks", query=query)

    async def get_tasks_due(self) -> list[Task]:
        return await self._every(Task, "get_tasks_due", timezone=self._timezone)

    async def mark_task_notified(self, task_id: str) -> None:
        await self._change("mark_task_notified", id=task_id)

    async def update_task(self, task_id: str, title: str | None = None, due_date: str | None = None) -> bool:
        """What is None stays as it is."""
        given = {"title": title, "due_date": due_date}
        return await self._change("update_task", id=task_id, **{name: value for name, value in given.items() if value is not None})

    async def complete_task(self, task_id: str) -> bool:
        return await self._change("complete_task", id=task_id)

    async def delete_task(self, task_id: str) -> bool:
        return await self._change("delete_task", id=task_id)

    # Reminders

    async def create_reminder(self, reminder: Reminder) -> None:
        await self._save("create_reminder", reminder)

    async def get_due_reminders(self) -> list[Reminder]:
        return await self._every(Reminder, "get_due_reminders")

    async def list_reminders(self, user_id: str | None = None) -> list[Reminder]:
        return await self._every(Reminder, "list_reminders", user_id=user_id)

    async def update_reminder_status(self, reminder_id: str, status: str) -> None:
        await self._change("update_reminder_status", id=reminder_id, status=status)

    async def cancel_reminder(self, reminder_id: str) -> bool:
        return await self._change("cancel_reminder", id=reminder_id)

    # What to read

    async def save_read_later(self, item: ReadLaterItem) -> None:
        await self._save("save_read_later", item)

    async def list_read_later(self, include_read: bool = False) -> list[ReadLaterItem]:
        return await self._every(ReadLaterItem, "list_read_later", include_read=include_read)

    async def mark_read_later_read(self, item_id: str) -> bool:
        return await self._change("mark_read_later_read", id=item_id)

    async def delete_read_later(self, item_id: str) -> bool:
        """By its id, or by the beginning of one that only one item has."""
        return await self._change("delete_read_later", id=item_id)

    # The journal

    async def save_journal_entry(self, entry: JournalEntry) -> None:
        await self._save("save_journal_entry", entry)

    async def list_journal_entries(self, days: int | None = None) -> list[JournalEntry]:
        return await self._every(JournalEntry, "list_journal_entries", days=days)

    # News

    async def add_news_topic(self, topic: NewsTopic) -> None:
        await self._save("add_news_topic", topic)

    async def remove_news_topic(self, topic: str) -> bool:
        return await self._change("remove_news_topic", topic=topic)

    async def list_news_topics(self) -> list[NewsTopic]:
        return await self._every(NewsTopic, "list_news_topics")

    async def add_seen_story(self, story: SeenStory) -> None:
        await self._save("add_seen_story", story)

    async def get_seen_urls(self) -> set[str]:
        return {row["url"] for row in await self._store.get_seen_urls()}

    async def cleanup_seen_stories(self, days: int = 7) -> None:
        await self._change("cleanup_seen_stories", days=days)
