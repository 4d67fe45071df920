import { useState } from 'react';
import { ApiError, messageOf } from '../../../api/api-error.ts';
import { MessageLine } from '../../../ui/message-line.tsx';
import { SaveBar } from '../../../ui/save-bar.tsx';
import type { RuleStrategy } from '../use-rules.ts';
import { Overtaken } from './overtaken.tsx';
import type { OpenRules } from './use-rules-draft.ts';

/** What keeps a draft from being saved. */
export interface DraftFaults {
  count: number;
  whole: string; // what is said of all of it together, where no piece is marked with it; else empty
}

/** See `RulesSaveBar`. */
export interface RulesSaveBarProps {
  rules: OpenRules;
  faults: DraftFaults;
  onSave: () => Promise<void>;
  onDiscard: () => void;
}

/** What a draft changes, and the way to save or drop it. Saving changes no bot. */
export function RulesSaveBar({ rules, faults, onSave, onDiscard }: RulesSaveBarProps) {
  const { strategy, document, changes, isDraft, isOvertaken, basedOn } = rules;
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  if (!isDraft || rules.readOnly) return null;
  const save = async () => {
    const { count, whole } = faults;
    if (count > 0) {
      setFailure(
        whole !== ''
          ? `These rules are not saved. ${whole}`
          : count === 1
            ? 'There is a fault to mend first: it is marked where it is.'
            : `There are ${count} faults to mend first: they are marked where they are.`,
      );
      return;
    }
    if (isOvertaken) {
      setFailure('Say first what becomes of your draft.');
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      await onSave();
    } catch (error) {
      // Of a version that came meanwhile the choice below says more.
      setFailure(error instanceof ApiError && error.status === 409 ? null : messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  const waiting =
    strategy === null
      ? [{ key: 'new', name: document.title, from: 'not saved', to: 'yours alone' }]
      : changes.map(({ path, name, from, to }, i) => ({ key: `${i} ${path}`, name, from, to }));
  return (
    <SaveBar
      changes={waiting}
      note={strategy === null ? 'nothing trades until you give it to a bot' : botsNote(strategy)}
      saveText={basedOn === null ? 'Save' : `Save as version ${(strategy?.version ?? basedOn) + 1}`}
      isBusy={isBusy}
      onDiscard={() => {
        setFailure(null);
        onDiscard();
      }}
      onSave={() => void save()}
    >
      {isOvertaken && strategy !== null ? <Overtaken rules={rules} strategy={strategy} /> : null}
      {failure === null ? null : (
        <div className="fl-save-failure">
          <MessageLine tone="error" text={failure} />
        </div>
      )}
    </SaveBar>
  );
}

/** 'Dip Study keeps version 3 until somebody takes version 4 to it'. */
function botsNote({ bots, version }: RuleStrategy): string {
  const next = version + 1;
  const [first, ...others] = bots;
  if (first === undefined) return 'no bot uses these rules';
  if (others.length === 0) return `${first.nickname} keeps version ${first.version ?? version} until somebody takes version ${next} to it`;
  return `${bots.length} bots keep their versions until somebody takes version ${next} to them`;
}
