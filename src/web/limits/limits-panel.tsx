import './limits.css';
import type { ReactNode } from 'react';
import { Banner } from '../ui/banner.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { dropSaved, setDraft, useDraft } from './draft-store.ts';
import type { LimitChange, Limits } from './limit-draft.ts';
import { changesOf, isRaise, limitKey, valueText } from './limit-draft.ts';
import { LimitRow } from './limit-row.tsx';
import { limitName } from './limit-words.ts';
import type { LimitTarget } from './use-limits.ts';
import { useLimits } from './use-limits.ts';

/** The limits of a bot, a user or the server: what each is, what is used of it, and fields to change them. */
export function LimitsPanel({ target, note, scope }: { target: LimitTarget; note: string; scope?: ReactNode }) {
  const state = useLimits(target);
  const { limits, loadFailure } = state;
  return (
    <section className="fl-panel" aria-labelledby="limits-title">
      <header className="fl-panel-head">
        <h2 id="limits-title">Limits</h2>
        <div className="fl-panel-aside">
          {note}
          {scope}
        </div>
      </header>
      {limits !== undefined ? (
        <Form key={limits.id} limits={limits} state={state} whose={`${target.level} ${target.id ?? ''}`} />
      ) : loadFailure === null ? (
        <LoadingRows label="Loading limits" rows={8} height={44} />
      ) : (
        <FailedLoad
          text="Failed to load the limits. Please try again."
          detail={loadFailure.detail}
          isLoading={state.isLoading}
          onRetry={() => void state.reload()}
        />
      )}
    </section>
  );
}

/** What defaults are for: they are wide, so that they stop no bot that does what it was made for. */
const aboutDefaults =
  'Values without a note are defaults. They follow from stake, slots and leverage, and are wide: they stop a bot that runs away, not one that loses slowly. Set loss per day and drawdown to what you are ready to lose.';

function Form({ limits, state, whose }: { limits: Limits; state: ReturnType<typeof useLimits>; whose: string }) {
  const draft = useDraft(whose);
  const changes = changesOf(limits.limits, draft);
  const { isSaving, saveFailure } = state;
  const save = async () => {
    if (await state.save(changes)) dropSaved(whose, draft);
  };
  return (
    <>
      <table className="limits-table fl-number" aria-label="Limits">
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col">Value</th>
            <th scope="col">Highest Use Now</th>
            <th scope="col">When Reached</th>
          </tr>
        </thead>
        <tbody>
          {limits.limits.map((limit) => (
            <LimitRow
              key={limitKey(limit)}
              limit={limit}
              level={limits.level}
              entered={draft[limitKey(limit)]}
              issue={changes.find((change) => change.limit === limit)?.issue ?? null}
              isBusy={isSaving}
              onChange={(text) => setDraft(whose, { ...draft, [limitKey(limit)]: text })}
            />
          ))}
        </tbody>
      </table>
      {limits.limits.some((limit) => limit.is_default && limit.value !== 0) ? <p className="limits-about">{aboutDefaults}</p> : null}
      {changes.length === 0 ? null : (
        <SaveBar
          changes={changes.map((change) => named(change, limits))}
          {...(changes.some(isRaise) ? { note: 'Raising a limit needs your password and is recorded.' } : {})}
          isBusy={isSaving}
          onDiscard={() => {
            setDraft(whose, {});
            state.clearFailure();
          }}
          onSave={() => {
            if (changes.every(({ issue }) => issue === null)) void save();
          }}
        >
          {saveFailure === null ? null : <Banner tone="error" text="The limits were not saved." detail={saveFailure.detail} />}
        </SaveBar>
      )}
    </>
  );
}

function named({ limit, value, issue }: LimitChange, { level }: Limits) {
  const to = issue !== null && value !== null && !Number.isFinite(value) ? '?' : valueText(limit, value ?? limit.default);
  return { key: limitKey(limit), name: limitName(limit, level), from: valueText(limit, limit.value), to };
}
