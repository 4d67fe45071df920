import './strategy.css';
import { IconLock, IconRoute } from '@tabler/icons-react';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import type { Tab } from '../ui/tab-strip.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { savedMs, useSaved } from '../ui/use-saved.ts';
import { discardDraft } from './draft-store.ts';
import { StrategyFiles } from './files/strategy-files.tsx';
import { StrategyForm } from './strategy-form.tsx';
import type { StrategiesState } from './use-strategies.ts';
import { useStrategies } from './use-strategies.ts';
import type { UseForBot } from './rules/rules-screen.tsx';

const RulesScreen = onDemand(
  () => import('./rules/rules-screen.tsx').then((module) => module.RulesScreen),
  <div className="fl-panel strategy-waiting" />,
);

type Part = 'configuration' | 'rules' | 'files';

/** The strategies: what each is set to, those that people make as rules, and the files that others come from. */
export function StrategyScreen({ onUseForBot }: { onUseForBot: UseForBot }) {
  const view = useAddressValue('view');
  const parts: readonly Tab<Part>[] = [
    { value: 'configuration', label: 'Configuration', panel: <Configuration /> },
    {
      value: 'rules',
      label: 'Rules',
      panel: <RulesScreen onUseForBot={onUseForBot} />,
    },
    { value: 'files', label: 'Files', panel: <StrategyFiles onUseForBot={onUseForBot} /> },
  ];
  return (
    <TabStrip
      label="Strategy"
      tabs={parts}
      value={view === 'files' || view === 'rules' ? view : 'configuration'}
      onChange={(next) => changeAddress({ view: next === 'configuration' ? null : next })}
    />
  );
}

/** What each strategy is set to, for everybody; admins change it. */
function Configuration() {
  const state = useStrategies();
  const { strategies } = state;
  if (strategies === undefined || strategies.length === 0) return <NoStrategies state={state} />;
  return <Strategies state={state} strategies={strategies} />;
}

function Strategies({ state, strategies }: { state: StrategiesState; strategies: NonNullable<StrategiesState['strategies']> }) {
  const readOnly = !isAdmin(useUser());
  const chosen = useAddressValue('strategy');
  const strategy = strategies.find(({ id }) => id === chosen) ?? strategies[0];
  const [isSaved, setSaved] = useSaved(savedMs.strategy);
  const { clearFailure } = state;
  if (strategy === undefined) return null;
  return (
    <div className="strategy">
      <h1 className="fl-visually-hidden">Strategy</h1>
      <section className="fl-panel strategy-head" aria-label="Strategy selection">
        <SelectBox
          label="Strategy"
          className="strategy-select"
          options={strategies.map(({ id, name }) => ({ value: id, label: name }))}
          value={strategy.id}
          searchable={strategies.length > 20}
          disabled={state.isSaving}
          onChange={(id) => {
            if (id === strategy.id) return;
            discardDraft();
            clearFailure();
            setSaved(false);
            changeAddress({ strategy: id });
          }}
        />
        <span className="strategy-hint">version {strategy.version}</span>
        {readOnly ? (
          <p className="strategy-note" role="note">
            <IconLock size={14} aria-hidden />
            View Only: Only admins can modify strategy configurations.
          </p>
        ) : null}
      </section>
      {isSaved ? (
        <div className="strategy-saved">
          <Banner tone="success" text="Strategy updated successfully!" />
        </div>
      ) : null}
      <div className="strategy-columns">
        <StrategyForm
          key={strategy.id}
          strategy={strategy}
          state={state}
          readOnly={readOnly}
          onChange={() => setSaved(false)}
          onSaved={() => setSaved(true)}
        />
      </div>
    </div>
  );
}

function NoStrategies({ state }: { state: StrategiesState }) {
  const { strategies, isLoading, reload } = state;
  if (isLoading) {
    return (
      <div className="fl-panel" role="status">
        <p className="strategy-loading">Loading strategies...</p>
        <RowsSkeleton rows={8} height={56} />
      </div>
    );
  }
  return (
    <div className="fl-panel">
      <EmptyState
        icon={<IconRoute size={22} />}
        text={strategies === undefined ? 'No strategies to show' : 'No strategies yet'}
        hint={strategies === undefined ? 'They could not be loaded.' : 'They come with the server when it starts for the first time.'}
        minHeight={320}
        action={
          <Button variant="secondary" onClick={() => void reload()}>
            Try Again
          </Button>
        }
      />
    </div>
  );
}
