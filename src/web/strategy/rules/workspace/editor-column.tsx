import { IconSwitchVertical } from '@tabler/icons-react';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { withMirroredShorts } from '../edit/mirror.ts';
import { usesOf } from '../edit/parameters.ts';
import { isWithin } from '../edit/pieces-at.ts';
import { withSignal } from '../edit/rule-edits.ts';
import { AboutPanel } from '../editor/about-panel.tsx';
import { ParametersPanel } from '../editor/parameters-panel.tsx';
import { PlanPanel } from '../editor/plan-panel.tsx';
import { GuardList, SignalsList } from '../editor/rule-list.tsx';
import { useRulesEditor } from '../editor/rules-editor.ts';
import { SettingsPanel } from '../editor/settings-panel.tsx';
import { useSame } from '../editor/use-same.ts';
import type { MarketNames } from '../replay/messages.ts';
import { testStake } from '../replay/test-account.ts';
import type { Market } from '../replay/use-market.ts';
import type { RulesState } from '../use-rules.ts';
import type { OpenRules } from './use-rules-draft.ts';
import { UsingBots } from './using-bots.tsx';
import { WordsPanel } from './words-panel.tsx';

/** See `EditorColumn`. */
export interface EditorColumnProps {
  rules: OpenRules;
  state: RulesState;
  market: Market | null;
  names: MarketNames | null; // of the candles of that market
  quote: string; // currency of the stake of a replay
}

/** Everything that rules say, from their words to their notes, and who uses them. */
export function EditorColumn({ rules, state, market, names, quote }: EditorColumnProps) {
  const { document, strategy, saved, isDraft, readOnly } = rules;
  const { faults, changes, edit } = useRulesEditor();
  const { parameters, defaults, positionPlan, title, kind, description, losesWhen } = document;
  const within = (path: string) => (each: { path: string }) => isWithin(each.path, path);
  const uses = useSame(Object.fromEntries(Object.keys(parameters).map((name) => [name, usesOf(document, name)])));
  const parameterFaults = useSame(faults.filter(within('parameters')));
  const parameterChanges = useSame(changes.filter(within('parameters')));
  const settingFaults = useSame(faults.filter(({ path }) => path === 'defaults').map(({ sentence }) => sentence));
  const settingChanges = useSame(changes.filter(within('defaults')));
  const users = strategy === null ? null : <UsingBots strategy={strategy} state={state} market={names} symbol={market?.symbol ?? null} />;
  // A version that some bot does not run yet asks for somebody.
  const isNewerThere = strategy?.bots.some(({ version }) => version !== strategy.version) === true;
  const general = faults.filter(({ path }) => path === '');
  return (
    <div className="rules-stack rules-middle">
      <WordsPanel document={document} saved={isDraft ? saved : null} strategyId={strategy?.id ?? null} />
      {isNewerThere ? users : null}
      {general.map(({ sentence }) => (
        <p key={sentence} className="rules-fault" role="alert">
          {sentence}
        </p>
      ))}
      <GuardList />
      <SignalsList list="enterLong" title="Enter long" />
      <SignalsList list="exitLong" title="Exit long" />
      <Shorts readOnly={readOnly} isSpot={market?.tradingMode === 'spot'} />
      <ParametersPanel
        parameters={parameters}
        uses={uses}
        faults={parameterFaults}
        changes={parameterChanges}
        readOnly={readOnly}
        edit={edit}
      />
      <PlanPanel
        positionPlan={positionPlan}
        mayShort={document.enterShort.length > 0}
        stake={testStake(quote)}
        currency={quote}
        was={changes.find(within('positionPlan'))?.from ?? null}
        readOnly={readOnly}
        edit={edit}
      />
      <SettingsPanel defaults={defaults} faults={settingFaults} changes={settingChanges} readOnly={readOnly} edit={edit} />
      <AboutPanel
        title={title}
        kind={kind}
        description={description}
        losesWhen={losesWhen}
        fault={faults.find(({ path }) => path === 'title')?.sentence ?? null}
        readOnly={readOnly}
        edit={edit}
      />
      {isNewerThere ? null : users}
      {readOnly ? null : <KeysHint />}
    </div>
  );
}

/** The short side: one panel while there is nothing in it. */
function Shorts({ readOnly, isSpot }: { readOnly: boolean; isSpot: boolean }) {
  const { document, edit, select } = useRulesEditor();
  const hasShorts = document.enterShort.length > 0 || document.exitShort.length > 0;
  const mirror = readOnly ? null : (
    <Button
      size="small"
      variant="secondary"
      icon={<IconSwitchVertical size={13} aria-hidden />}
      title={hasShorts ? 'Replaces the shorts that are there; undo brings them back' : ''}
      onClick={() => edit(withMirroredShorts, 'mirrored')}
    >
      Mirror the longs
    </Button>
  );
  if (!hasShorts)
    return (
      <CardPanel title="Enter short, exit short" aside={mirror} flush>
        <div className="rules-empty-list">
          <span>No conditions: this strategy never goes short.</span>
          {readOnly ? null : (
            <Button
              size="small"
              variant="ghost"
              aria-label="Condition to enter short"
              onClick={() => {
                const next = withSignal(document, 'enterShort');
                edit(next.document, 'enterShort added');
                select(next.path);
              }}
            >
              Condition
            </Button>
          )}
        </div>
      </CardPanel>
    );
  return (
    <>
      <SignalsList list="enterShort" title="Enter short" aside={mirror} />
      <SignalsList list="exitShort" title="Exit short" />
      {isSpot ? <p className="rules-hint">On spot nothing is sold short: the shorts count on perpetuals only.</p> : null}
    </>
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
