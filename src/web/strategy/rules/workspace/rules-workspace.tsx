import { faultsOf } from '#engine/rules/faults.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { otherPairsOf } from '#engine/rules/walk.ts';
import { IconSwitchVertical } from '@tabler/icons-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useUser } from '../../../session/use-session.ts';
import { Button } from '../../../ui/button.tsx';
import { formatMoment } from '../../../ui/moment.ts';
import { formatPnl, toneOf } from '../../../ui/money.ts';
import { withMirroredShorts } from '../edit/mirror.ts';
import { ruleRows } from '../edit/rule-rows.ts';
import { AboutPanel } from '../editor/about-panel.tsx';
import { ParametersPanel } from '../editor/parameters-panel.tsx';
import { PlanPanel } from '../editor/plan-panel.tsx';
import { GuardList, SignalsList } from '../editor/rule-list.tsx';
import type { HeldShare, RulesEditor } from '../editor/rules-editor.ts';
import { RulesEditorContext } from '../editor/rules-editor.ts';
import { settingFaults, SettingsPanel } from '../editor/settings-panel.tsx';
import { rulesKeys } from '../editor/use-rules-keys.ts';
import type { HeldDraft } from '../replay/messages.ts';
import { useReplayDesk } from '../replay/replay-desk.ts';
import { testStake } from '../replay/test-account.ts';
import { tradeDifferences } from '../replay/trade-differences.ts';
import { useHistories } from '../replay/use-histories.ts';
import type { MarketOffer } from '../replay/use-market.ts';
import { useReplay } from '../replay/use-replay.ts';
import { ResultColumn } from '../result/result-column.tsx';
import type { RulesState } from '../use-rules.ts';
import type { OpenRules } from './use-rules-draft.ts';
import { useTook } from './use-took.ts';
import { UsingBots } from './using-bots.tsx';
import { WordsPanel } from './words-panel.tsx';

/** See `RulesWorkspace`. */
export interface RulesWorkspaceProps {
  rules: OpenRules;
  state: RulesState;
  offer: MarketOffer;
  isBroken: boolean; // the worker could not be started
  onRetry: () => void;
  onFaults: (count: number) => void;
}

const nobody: Readonly<Record<string, number>> = {};

/** The editor of rules, and beside it what they would have done. */
export function RulesWorkspace({ rules, state, offer, isBroken, onRetry, onFaults }: RulesWorkspaceProps) {
  const { document, saved, strategy, readOnly, edit, isDraft } = rules;
  const desk = useReplayDesk();
  const user = useUser();
  const [selected, select] = useState<string | null>(null);
  const [opened, open] = useState<string | null>(null);
  const [side, setSide] = useState<'rules' | 'result'>('rules'); // of a phone, which shows one at a time
  const rows = useMemo(() => ruleRows(document), [document]);
  const faults = useMemo(() => allFaults(document), [document]);
  const { length: faultCount } = faults;
  useEffect(() => onFaults(faultCount), [onFaults, faultCount]);

  const symbolsText = otherPairsOf(document).join('\n');
  const symbols = useMemo(() => (symbolsText === '' ? [] : symbolsText.split('\n')), [symbolsText]);
  const histories = useHistories(desk, offer.market, document.defaults.timeframe, symbols);
  const replay = useReplay(faultCount > 0 ? null : document, isDraft ? saved : null, histories.names);
  const tookMs = useTook(replay.of, faultCount > 0 ? null : document, rules.editedAt);

  const { cursor, setCursor, values } = useCursor(replay.held);
  const cursorText =
    cursor === null || replay.held === null ? null : formatMoment(replay.held.firstTime + cursor * replay.held.stepMs).slice(5, 16);

  const differences = useMemo(
    () => (replay.draft === null || replay.saved === null || !isDraft ? null : tradeDifferences(replay.saved.trades, replay.draft.trades)),
    [replay.draft, replay.saved, isDraft],
  );
  const [chosenTime, setChosenTime] = useState<string | null>(null); // of the chosen trade: its place changes with each edit
  const list = differences?.list ?? [];
  const chosen = placeIn(list, chosenTime);
  const choose = (place: number) => setChosenTime(nameIn(list, place));
  const walk = (by: -1 | 1) => {
    if (list.length > 0) choose(chosen === null ? (by === 1 ? 0 : list.length - 1) : (chosen + by + list.length) % list.length);
  };

  const held = useHeld(replay.held);
  const editor: RulesEditor = {
    document,
    readOnly,
    rows,
    faults,
    changes: rules.changes,
    held: held.shares,
    pairs: offer.pairs,
    values: replay.heldOf === document ? values : nobody,
    cursorText,
    selected,
    opened,
    edit,
    select,
    open,
  };
  const keys = rulesKeys(editor, { undo: rules.undo, redo: rules.redo, walk });
  const quote = histories.history?.instrument.quote ?? replay.draft?.currency ?? 'USDT';
  const hasShorts = document.enterShort.length > 0 || document.exitShort.length > 0;
  const { market } = offer;
  return (
    <RulesEditorContext value={editor}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of what is inside */}
      <div className={`rules-work rules-side-${side}`} onKeyDown={keys}>
        <PhoneSides side={side} onSide={setSide} replay={replay} />
        <div className="rules-stack rules-middle">
          <WordsPanel document={document} saved={isDraft ? saved : null} strategyId={strategy?.id ?? null} />
          <GuardList />
          <SignalsList list="enterLong" title="Enter long" held={held.lists?.enterLong ?? null} />
          <SignalsList list="exitLong" title="Exit long" held={held.lists?.exitLong ?? null} />
          <SignalsList
            list="enterShort"
            title="Enter short"
            held={held.lists?.enterShort ?? null}
            aside={
              readOnly ? null : (
                <Button
                  size="small"
                  variant="secondary"
                  icon={<IconSwitchVertical size={13} aria-hidden />}
                  title={hasShorts ? 'Replaces the shorts that are there; undo brings them back' : ''}
                  onClick={() => edit(withMirroredShorts(document), 'mirrored')}
                >
                  Mirror the longs
                </Button>
              )
            }
          />
          <SignalsList list="exitShort" title="Exit short" held={held.lists?.exitShort ?? null} />
          {market?.tradingMode === 'spot' && hasShorts ? (
            <p className="rules-hint">On spot nothing is sold short: the shorts count on perpetuals only.</p>
          ) : null}
          <ParametersPanel />
          <PlanPanel stake={testStake(quote)} currency={quote} trades={replay.draft?.trades ?? null} />
          <SettingsPanel />
          <AboutPanel />
          {strategy === null ? null : (
            <UsingBots strategy={strategy} state={state} market={histories.names} symbol={market?.symbol ?? null} />
          )}
          {readOnly ? null : <KeysHint />}
        </div>
        <ResultColumn
          document={document}
          rows={rows}
          selected={rows.find(({ path }) => path === selected) ?? null}
          isDraft={isDraft}
          version={rules.basedOn}
          faultCount={faultCount}
          offer={offer}
          histories={histories}
          replay={replay}
          differences={differences}
          tookMs={tookMs}
          isBroken={isBroken}
          onRetry={onRetry}
          chosen={chosen}
          onWalk={walk}
          onChoose={choose}
          cursor={cursor}
          cursorText={cursorText}
          onCursor={setCursor}
          triesPlace={[user?.userId, rules.key, market?.exchangeId, market?.tradingMode, market?.symbol, market?.days].join(' ')}
        />
      </div>
    </RulesEditorContext>
  );
}

/** Everything that keeps the document from being run or saved. */
function allFaults(document: RulesDocument) {
  const unnamed = document.title.trim() === '' ? [{ path: 'title', sentence: 'The rules need a name.' }] : [];
  const settings = settingFaults(document);
  // A warm-up in a timeframe that is not offered says nothing.
  return [...unnamed, ...settings, ...faultsOf(document)];
}

/** The row of the candle under the cursor, and what the conditions looked at there. */
function useCursor(held: HeldDraft | null) {
  const desk = useReplayDesk();
  const [cursor, setCursor] = useState<number | null>(null);
  const [values, setValues] = useState<Readonly<Record<string, number>>>(nobody);
  useEffect(() => {
    if (cursor === null || held === null) setValues(nobody);
    else desk.values(cursor, setValues);
  }, [desk, cursor, held]);
  return {
    cursor: cursor !== null && held !== null && cursor < held.rows ? cursor : null,
    setCursor: useCallback(setCursor, [setCursor]),
    values,
  };
}

/** How often each condition held, and each list, as shares of the candles. */
function useHeld(held: HeldDraft | null) {
  return useMemo(() => {
    const shares = new Map<string, HeldShare>();
    if (held === null || held.rows === 0) return { shares, lists: null };
    for (const { path, held: flags, count, alone } of held.rules) if (flags !== null) shares.set(path, { share: count / held.rows, alone });
    const share = (flags: Uint8Array): number => flags.reduce((sum, flag) => sum + flag, 0) / held.rows;
    const { enterLong, exitLong, enterShort, exitShort } = held.signals;
    return {
      shares,
      lists: { enterLong: share(enterLong), exitLong: share(exitLong), enterShort: share(enterShort), exitShort: share(exitShort) },
    };
  }, [held]);
}

type Differences = ReturnType<typeof tradeDifferences>['list'];

function nameIn(list: Differences, place: number): string | null {
  const each = list[place];
  return each === undefined ? null : `${each.kind} ${each.trade.openTime} ${each.trade.direction}`;
}

function placeIn(list: Differences, name: string | null): number | null {
  const place = list.findIndex((_, i) => nameIn(list, i) === name);
  return place === -1 ? null : place;
}

/** On a phone: rules or result, and what the draft came to in either. */
function PhoneSides({
  side,
  onSide,
  replay,
}: {
  side: 'rules' | 'result';
  onSide: (side: 'rules' | 'result') => void;
  replay: ReturnType<typeof useReplay>;
}) {
  const { draft, saved } = replay;
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
          <span className="rules-dim">Draft, replay</span>
          <b className={`fl-number fl-${toneOf(draft.figures.netPnl, draft.currency)}`}>
            {formatPnl(draft.figures.netPnl, draft.currency)}
          </b>
          {by === null ? null : <span className={`fl-number fl-${toneOf(by, draft.currency)}`}>{formatPnl(by, draft.currency)}</span>}
        </div>
      )}
    </div>
  );
}

const keysShown: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['↑', '↓'], 'condition'],
  [['Enter'], 'edit'],
  [['Space'], 'on, off'],
  [['Alt ↑'], 'move'],
  [['A'], 'add'],
  [['[', ']'], 'change on the chart'],
  [['Ctrl Z'], 'undo'],
];

function KeysHint() {
  return (
    <p className="rules-keys">
      {keysShown.map(([keys, what]) => (
        <span key={what}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{' '}
          {what}
        </span>
      ))}
    </p>
  );
}
