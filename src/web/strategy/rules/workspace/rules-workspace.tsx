import { faultsOf } from '#engine/rules/faults.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { otherPairsOf } from '#engine/rules/walk.ts';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useUser } from '../../../session/use-session.ts';
import { formatPnl, toneOf } from '../../../ui/money.ts';
import { redoDraft, undoDraft } from '../drafts/drafts-store.ts';
import { isWithin } from '../edit/pieces-at.ts';
import { ruleRows } from '../edit/rule-rows.ts';
import type { EditRules, RulesEditor } from '../editor/rules-editor.ts';
import { RulesEditorContext } from '../editor/rules-editor.ts';
import { settingFaults } from '../editor/settings-panel.tsx';
import { useSame } from '../editor/use-same.ts';
import type { RulesKeys } from '../editor/use-rules-keys.ts';
import { useRulesKeys } from '../editor/use-rules-keys.ts';
import { useReplayDesk } from '../replay/replay-desk.ts';
import type { ReplayStore } from '../replay/replay-store.ts';
import { ReplayStoreContext, useReplayed, walkDifferences } from '../replay/replay-store.ts';
import { useHistories } from '../replay/use-histories.ts';
import type { MarketOffer } from '../replay/use-market.ts';
import { useReplay } from '../replay/use-replay.ts';
import { ResultColumn } from '../result/result-column.tsx';
import type { RulesState } from '../use-rules.ts';
import { EditorColumn } from './editor-column.tsx';
import type { DraftFaults } from './rules-save-bar.tsx';
import type { OpenRules } from './use-rules-draft.ts';
import { useTook } from './use-took.ts';

/** See `RulesWorkspace`. */
export interface RulesWorkspaceProps {
  rules: OpenRules;
  state: RulesState;
  offer: MarketOffer;
  isBroken: boolean; // the worker could not be started
  onRetry: () => void;
  onFaults: (faults: DraftFaults) => void;
}

/** The editor of rules, and beside it what they would have done. */
export function RulesWorkspace({ rules, state, offer, isBroken, onRetry, onFaults }: RulesWorkspaceProps) {
  const { document, saved, readOnly, isDraft } = rules;
  const desk = useReplayDesk();
  const user = useUser();
  const [selected, select] = useState<string | null>(null);
  const [opened, open] = useState<string | null>(null);
  const [side, setSide] = useState<'rules' | 'result'>('rules'); // of a phone, which shows one at a time
  const rows = useMemo(() => ruleRows(document), [document]);
  const faults = useMemo(() => allFaults(document), [document]);
  const { length: faultCount } = faults;
  const whole = faults.flatMap(({ path, sentence }) => (path === '' ? [sentence] : [])).join(' ');
  useEffect(() => onFaults({ count: faultCount, whole }), [onFaults, faultCount, whole]);

  const symbols = useSame(otherPairsOf(document));
  const histories = useHistories(desk, offer.market, document.defaults.timeframe, symbols);
  const runnable = faultCount > 0 ? null : document;
  const store = useReplay(runnable, isDraft ? saved : null, histories.names);
  useTook(store, runnable, histories.names, rules.editedAt);

  const edit = useSteadyEdit(rules);
  const editor: RulesEditor = {
    document,
    readOnly,
    rows,
    faults,
    changes: rules.changes,
    pairs: offer.pairs,
    selected,
    opened,
    edit,
    select,
    open,
  };
  const keys = useRulesKeys(editor, useSteadyKeys(rules.key, store));
  const { market } = offer;
  return (
    <ReplayStoreContext value={store}>
      <RulesEditorContext value={editor}>
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of what is inside */}
        <div className={`rules-work rules-side-${side}`} onKeyDown={keys}>
          <PhoneSides side={side} shown={isDraft ? 'Draft' : `Version ${rules.basedOn}`} onSide={setSide} />
          <EditorColumn
            rules={rules}
            state={state}
            market={market}
            names={histories.names}
            quote={histories.history?.instrument.quote ?? 'USDT'}
          />
          <ResultColumn
            document={document}
            selected={rows.find(({ path }) => path === selected || (selected !== null && isWithin(path, selected))) ?? null}
            isDraft={isDraft}
            version={rules.basedOn}
            faultCount={faultCount}
            readOnly={readOnly}
            offer={offer}
            histories={histories}
            isBroken={isBroken}
            onRetry={onRetry}
            triesPlace={[user?.userId, rules.key, market?.exchangeId, market?.tradingMode, market?.symbol, market?.days].join(' ')}
          />
        </div>
      </RulesEditorContext>
    </ReplayStoreContext>
  );
}

/** Everything that keeps the document from being run or saved. */
function allFaults(document: RulesDocument) {
  const unnamed = document.title.trim() === '' ? [{ path: 'title', sentence: 'The rules need a name.' }] : [];
  return [...unnamed, ...settingFaults(document), ...faultsOf(document)];
}

/** The same function for each drawing; it edits the newest document. */
function useSteadyEdit(rules: OpenRules): EditRules {
  const newest = useRef(rules);
  useLayoutEffect(() => {
    newest.current = rules;
  });
  return useCallback((next, place) => {
    const { document, edit } = newest.current;
    edit(typeof next === 'function' ? next(document) : next, place);
  }, []);
}

function useSteadyKeys(key: string, store: ReplayStore): RulesKeys {
  return useMemo(
    () => ({ undo: () => undoDraft(key), redo: () => redoDraft(key), walk: (by) => walkDifferences(store, by) }),
    [key, store],
  );
}

/** See `PhoneSides`. */
interface PhoneSidesProps {
  side: 'rules' | 'result';
  shown: string; // whose figure it is: 'Draft', 'Version 2'
  onSide: (side: 'rules' | 'result') => void;
}

/** On a phone: rules or result, and what is shown came to in either. */
function PhoneSides({ side, shown, onSide }: PhoneSidesProps) {
  const draft = useReplayed((replay) => replay.draft);
  const saved = useReplayed((replay) => replay.saved);
  const by = draft === null || saved === null ? null : draft.figures.netPnl - saved.figures.netPnl;
  return (
    <div className="fl-panel rules-sides">
      <div role="group" aria-label="What is shown">
        {(['rules', 'result'] as const).map((each) => (
          <button key={each} type="button" aria-pressed={side === each} onClick={() => onSide(each)}>
            {each === 'rules' ? 'Rules' : 'Result'}
          </button>
        ))}
      </div>
      {draft === null ? null : (
        <div className="rules-sides-figure">
          <span className="rules-dim">{shown}, replay</span>
          <b className={`fl-number fl-${toneOf(draft.figures.netPnl, draft.currency)}`}>
            {formatPnl(draft.figures.netPnl, draft.currency)}
          </b>
          {by === null ? null : <span className={`fl-number fl-${toneOf(by, draft.currency)}`}>{formatPnl(by, draft.currency)}</span>}
        </div>
      )}
    </div>
  );
}
