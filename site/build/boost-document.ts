/**
 * How much a section counts in the search, for one of the searched words. Guides come before the API and the decisions, which repeat
 * their words; and the guide that answers a word comes before pages that only use it.
 *
 * The search runs in the page, which gets the text of this function: it uses nothing from outside.
 *
 * @param id Address of the section: `/how-to/schedules.html#schedules`.
 * @param term The word of the index, in small letters.
 */
export function boostDocument(id: string, term: string): number {
  const guides = {
    approv: "approve-",
    chat: "show-an-agent-in-a-chat.",
    cron: "schedules.",
    human: "ask-a-person.",
    pause: "answer-and-cancel-runs.",
    queue: "queues-and-limits.",
    resum: "answer-and-cancel-runs.",
    retr: "retries-and-recovery.",
  };
  const answers = Object.entries(guides).some(
    ([word, page]) => term.startsWith(word) && id.includes(`/how-to/${page}`),
  );
  const isFirst = /\/([^/]+)\.html#\1$/.test(id);
  const isRepeated = /\/(api|decisions|project|packages)\//.test(id);
  return (
    (answers ? (isFirst ? 10 : 5) : 1) *
    (isRepeated ? 0.1 : 1) *
    (id.includes("/how-to/") ? 2 : 1) *
    (id.includes(term) ? 2 : 1)
  );
}
