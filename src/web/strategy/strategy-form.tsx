import { useState } from 'react';
import { SaveBar } from '../ui/save-bar.tsx';
import { botCount, BotsSection } from './bots-section.tsx';
import { LastBacktestSection } from './details/last-backtest-section.tsx';
import { ParametersSection } from './details/parameters-section.tsx';
import { useDetails } from './details/use-details.ts';
import { changeDraft, discardDraft, useDraft } from './draft-store.ts';
import type { FormPart } from './form-part.ts';
import { HistorySection } from './history-section.tsx';
import { InformationSection } from './information-section.tsx';
import { ChatTest, SheetTest } from './integration-tests.tsx';
import { IntegrationsSection } from './integrations-section.tsx';
import { OrdersSection } from './orders-section.tsx';
import { PerformanceSection } from './performance-section.tsx';
import { RoiSection } from './roi-section.tsx';
import { SaveFailures } from './save-failures.tsx';
import { changesOf, draftIssue, namedChanges, shownFields, withField } from './strategy-draft.ts';
import type { Strategy } from './strategy-fields.ts';
import { fieldsOf } from './strategy-fields.ts';
import { TradingSection } from './trading-section.tsx';
import { useStrategyBots } from './use-strategy-bots.ts';
import type { StrategiesState } from './use-strategies.ts';

/** See `StrategyForm`. */
export interface StrategyFormProps {
  strategy: Strategy;
  state: StrategiesState;
  readOnly: boolean;
  onChange: () => void;
  onSaved: () => void;
}

/** The settings of a strategy, and what was typed over them; admins save it. */
export function StrategyForm({ strategy, state, readOnly, onChange, onSaved }: StrategyFormProps) {
  const draft = useDraft(strategy.id);
  const [isChecked, setChecked] = useState(false); // from the first try to save on, faults are shown as they are typed
  const bots = useStrategyBots(strategy.id);
  const details = useDetails(strategy.id);
  const changes = namedChanges(strategy, draft);
  const part: FormPart = {
    loaded: fieldsOf(strategy),
    shown: shownFields(strategy, draft),
    changed: new Set(changes.map(({ field }) => field)),
    issue: isChecked && changes.length > 0 ? draftIssue(strategy, draft) : null,
    readOnly,
    isBusy: state.isSaving,
    onChange(name, value) {
      onChange();
      changeDraft(strategy.id, (before) => withField(strategy, before, name, value));
    },
  };
  const save = async () => {
    setChecked(true);
    if (draftIssue(strategy, draft) !== null) return;
    if (!(await state.save(strategy, changesOf(strategy, draft)))) return;
    setChecked(false);
    onSaved();
  };
  return (
    <>
      <div className="strategy-stack">
        <InformationSection part={part} className={strategy.kind === 'rules' ? null : strategy.strategy_class_name} />
        <TradingSection part={part} />
        <RoiSection part={part} stored={Object.keys(strategy.minimal_roi).length} />
        <OrdersSection part={part} />
        <IntegrationsSection
          part={part}
          belowWebhook={
            readOnly ? null : <ChatTest strategy={strategy} isPending={part.changed.has('encrypted_webhook')} reload={state.reload} />
          }
          belowKey={
            readOnly ? null : <SheetTest strategy={strategy} isPending={part.changed.has('encrypted_sheets_key')} reload={state.reload} />
          }
        />
        <ParametersSection state={details} />
      </div>
      <div className="strategy-stack">
        <PerformanceSection strategyId={strategy.id} />
        <LastBacktestSection state={details} />
        <BotsSection {...bots} />
        {readOnly ? null : <HistorySection strategy={strategy} reload={state.reload} />}
      </div>
      {readOnly || changes.length === 0 ? null : (
        <SaveBar
          changes={changes.map(({ field, ...change }) => ({ key: field, ...change }))}
          {...(bots.bots === undefined ? {} : { note: `reaches ${botCount(bots.bots)} at the next decision` })}
          isBusy={state.isSaving}
          onDiscard={() => {
            discardDraft();
            setChecked(false);
            state.clearFailure();
          }}
          onSave={() => void save()}
        >
          <SaveFailures issue={part.issue} failure={state.failure} isLoading={state.isLoading} onReload={() => void state.reload()} />
        </SaveBar>
      )}
    </>
  );
}
