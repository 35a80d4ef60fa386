/** The inbox of the people who decide: every open question, the oldest first, answered without leaving the page. */
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Question } from "../questions/question.js";
import { titleOf } from "../questions/question-title.js";
import { hrefOf } from "../route.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { useStore } from "../store.js";
import { announce } from "../ui/announce.js";
import { Button } from "../ui/controls.js";
import { ExactText } from "../ui/exact-text.js";
import { dateAndTime } from "../ui/format.js";
import { Page } from "../ui/page.js";
import { Empty, ErrorBox, Loading } from "../ui/states.js";
import { Ago } from "../ui/time.js";
import { useKeys } from "../ui/use-keys.js";
import { AllowDialog } from "./allow-dialog.js";
import { Answered } from "./answered.js";
import { InboxList, type OpenQuestion } from "./inbox-list.js";

export function InboxPage(): ReactNode {
  const list = useMemo(() => new InboxList(), []);
  useEffect(() => list.start(), [list]);
  const { questions, isLoading, hasMore, error } = useStore(list.view);
  const { may } = useStudioConfig();
  const [selected, setSelected] = useState<string | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isAllowing, setAllowing] = useState(false);
  const [count, setCount] = useState(0);
  const pane = useRef<HTMLDivElement>(null);
  // The place of a question that is gone is that of the next one.
  const place = useRef(0);
  const at = questions.findIndex(({ key }) => key === selected);
  if (at >= 0) place.current = at;
  const current = questions[at >= 0 ? at : Math.min(place.current, questions.length - 1)];
  const open = questions.filter(({ key }) => chosen.has(key));
  const go = (by: number): void => {
    const from = current === undefined ? 0 : questions.indexOf(current);
    const next = questions[Math.max(0, Math.min(questions.length - 1, from + by))];
    if (next === undefined) return;
    setSelected(next.key);
    document.getElementById(`q-${next.key}`)?.scrollIntoView({ block: "nearest" });
  };
  // On a phone the list is below the question.
  const toQuestion = (): void => {
    pane.current?.scrollTo(0, 0);
    scrollTo(0, 0);
  };
  const choose = (key: string): void => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  const answered = ({ key }: OpenQuestion): void => {
    list.answered(key);
    setCount((before) => before + 1);
    announce("Answer sent");
    toQuestion();
  };
  useKeys(({ key }) => {
    if (key === "j" || key === "ArrowDown") go(1);
    else if (key === "k" || key === "ArrowUp") go(-1);
    else if (key === "x" && current) choose(current.key);
    else if (key === "y" || key === "n") return decide(pane.current, key === "y" ? "yes" : "no");
    else return false;
    return true;
  });
  const title =
    questions.length === 0 ? "Inbox" : `Inbox (${questions.length.toLocaleString("en")}${hasMore ? "+" : ""})`;
  return (
    <Page title={title} width="wider">
      {error !== null && <ErrorBox error={error} />}
      {isLoading && <Loading rows={8} />}
      {!isLoading && questions.length === 0 && error === null && (
        <div className="panel">
          <Empty>
            {count === 0 ? "Nobody is waiting for an answer." : "That was the last one. Nobody is waiting."}
          </Empty>
        </div>
      )}
      {current !== undefined && (
        <div className="inbox">
          <div className="panel inboxlist">
            <ol aria-label="Open questions, the oldest first">
              {questions.map((question) => (
                <Row
                  key={question.key}
                  question={question}
                  isCurrent={question === current}
                  isChosen={chosen.has(question.key)}
                  mayChoose={may.answer}
                  onSelect={() => {
                    setSelected(question.key);
                    toQuestion();
                  }}
                  onChoose={() => choose(question.key)}
                />
              ))}
            </ol>
            {hasMore && <p className="tablefoot">The oldest 2,000 runs. Answer some to see more.</p>}
          </div>
          <div className="panel inboxpane" ref={pane}>
            <p className="row from">
              <a className="mono cut" href={hrefOf("run", current.runId)}>
                <ExactText text={current.runId} />
              </a>
              <span className="muted cut">{current.workflow}</span>
              <span className="grow" />
              <span className="muted keyhint">
                <kbd>Y</kbd> yes <kbd>N</kbd> no <kbd>J</kbd> next
              </span>
            </p>
            <Question
              key={current.key}
              runId={current.runId}
              prompt={current.prompt}
              mayAnswer={may.answer}
              isWhole
              onAnswered={() => answered(current)}
            />
          </div>
        </div>
      )}
      <Answered round={count} />
      {open.length > 0 && (
        <section className="pick" aria-label="Chosen questions">
          <span>{open.length} chosen</span>
          <Button isSmall kind="primary" onClick={() => setAllowing(true)}>
            Say yes to {open.length}
          </Button>
          <Button kind="ghost" isSmall onClick={() => setChosen(new Set())}>
            Clear
          </Button>
        </section>
      )}
      {isAllowing && (
        <AllowDialog
          questions={open}
          onAnswered={answered}
          onClose={() => {
            setAllowing(false);
            setChosen(new Set());
          }}
        />
      )}
    </Page>
  );
}

/** Yes or no of the question that is shown: sent at once where nothing else is missing. */
function decide(pane: HTMLElement | null, answer: "yes" | "no"): boolean {
  const control = pane?.querySelector<HTMLElement>(`[data-answer="${answer}"]:not(:disabled)`);
  if (!control) return false;
  control.click();
  // After the form knows what was chosen.
  if (control instanceof HTMLInputElement) window.setTimeout(() => control.form?.requestSubmit());
  else if (answer === "no") window.setTimeout(() => pane?.querySelector<HTMLElement>("form input")?.focus());
  return true;
}

interface RowProps {
  readonly question: OpenQuestion;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  readonly mayChoose: boolean;
  readonly onSelect: () => void;
  readonly onChoose: () => void;
}

function Row({ question, isCurrent, isChosen, mayChoose, onSelect, onChoose }: RowProps): ReactNode {
  const { key, runId, workflow, prompt } = question;
  const { askedAtMs, dueAtMs } = prompt;
  const title = titleOf(prompt);
  return (
    <li id={`q-${key}`} className={isCurrent ? "on" : ""}>
      {mayChoose && <input type="checkbox" aria-label={`Choose ${runId}`} checked={isChosen} onChange={onChoose} />}
      <button type="button" aria-current={isCurrent} onClick={onSelect}>
        <span className="cut asks">
          <ExactText text={title} />
        </span>
        <span className="row muted">
          <span className="cut">{workflow}</span>
          <span className="mono cut">{runId}</span>
          <span className="grow" />
          {dueAtMs !== null ? (
            <span className="due">due {dateAndTime(dueAtMs)}</span>
          ) : (
            askedAtMs !== null && <Ago atMs={askedAtMs} />
          )}
        </span>
      </button>
    </li>
  );
}
