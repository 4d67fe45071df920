import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { fieldNames } from './strategy-draft.ts';
import type { FieldName } from './strategy-fields.ts';
import type { SaveFailure } from './use-strategies.ts';

/** See `SaveFailures`. */
export interface SaveFailuresProps {
  issue: { field: string; text: string } | null; // the check that failed, so that nothing was sent
  failure: SaveFailure | null;
  isLoading: boolean; // the newest values
  onReload: () => void;
}

/** Why the pending changes are not saved. */
export function SaveFailures({ issue, failure, isLoading, onReload }: SaveFailuresProps) {
  return (
    <>
      {issue === null ? null : (
        <div className="fl-save-failure">
          <MessageLine tone="error" text={`${fieldNames[issue.field as FieldName]}: ${issue.text}`} />
        </div>
      )}
      {failure === null ? null : (
        <div className="fl-save-failure">
          <MessageLine tone="error" text="Not saved." detail={failure.detail} />
          {failure.isStale ? (
            <Button variant="secondary" size="small" loading={isLoading} onClick={onReload}>
              Load Newest Values
            </Button>
          ) : null}
        </div>
      )}
    </>
  );
}
