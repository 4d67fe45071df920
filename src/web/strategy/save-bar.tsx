import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import type { NamedChange } from './strategy-draft.ts';
import { fieldNames } from './strategy-draft.ts';
import type { FieldName } from './strategy-fields.ts';
import type { SaveFailure } from './use-strategies.ts';

/** See `SaveBar`. */
export interface SaveBarProps {
  changes: readonly NamedChange[];
  reaches: string; // whom saving reaches, e.g. 'reaches 3 bots at their next decision'
  issue: { field: string; text: string } | null; // the check that failed, so that nothing was sent
  failure: SaveFailure | null;
  isBusy: boolean;
  isLoading: boolean;
  onDiscard: () => void;
  onSave: () => void;
  onReload: () => void;
}

/** How many changes the bar names; the rest is counted. */
const namedMax = 4;

/** The changes that wait, whom they reach, and the way to save or drop them. */
export function SaveBar({ changes, reaches, issue, failure, isBusy, isLoading, onDiscard, onSave, onReload }: SaveBarProps) {
  return (
    <section className="strategy-save" aria-label="Pending changes">
      <b>
        {changes.length} pending {changes.length === 1 ? 'change' : 'changes'}
      </b>
      <ul>
        {changes.slice(0, namedMax).map(({ field, name, from, to }) => (
          <li key={field}>
            {name} <s>{from}</s> <span aria-label="becomes">→</span> {to}
          </li>
        ))}
      </ul>
      {changes.length > namedMax ? <span className="strategy-hint">and {changes.length - namedMax} more</span> : null}
      <span className="strategy-hint">{reaches}</span>
      <div className="strategy-save-buttons">
        <Button variant="ghost" disabled={isBusy} onClick={onDiscard}>
          Discard
        </Button>
        <Button loading={isBusy} onClick={onSave}>
          {isBusy ? 'Saving...' : 'Save Changes'}
        </Button>
      </div>
      {issue === null ? null : (
        <div className="strategy-save-failure">
          <MessageLine tone="error" text={`${fieldNames[issue.field as FieldName]}: ${issue.text}`} />
        </div>
      )}
      {failure === null ? null : (
        <div className="strategy-save-failure">
          <MessageLine tone="error" text="Not saved." detail={failure.detail} />
          {failure.isStale ? (
            <Button variant="secondary" size="small" loading={isLoading} onClick={onReload}>
              Load Newest Values
            </Button>
          ) : null}
        </div>
      )}
    </section>
  );
}
