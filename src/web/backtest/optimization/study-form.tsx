import { NumberInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { FormEvent } from 'react';
import { pointsOf, spaceNames } from '#engine/lab/dimension.ts';
import { lossNames } from '#engine/lab/losses.ts';
import { samplerNames } from '#engine/lab/study.ts';
import { detailOf } from '../../api/api-error.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { MultiSelectBox } from '../../ui/multi-select-box.tsx';
import { SelectBox } from '../../ui/select-box.tsx';
import type { Choice } from '../backtest-form.ts';
import { withFirst } from '../backtest-form.ts';
import { PlanFields } from '../portfolio/plan-fields.tsx';
import { issuesOf, planOf } from '../portfolio/plan-form.ts';
import { usePlanForm } from '../portfolio/portfolio-store.ts';
import type { SearchForm, SearchIssues } from './search-form.ts';
import { fillSearch, hasNoIssue, rangeKey, rangeOf, searchIssues, searchOf, typedRange, useSearchForm } from './search-form.ts';
import { dimensionTitle, isRatio } from './study-words.ts';
import type { StudyDimension } from './use-studies.ts';
import { useStartStudy, useStudySpace } from './use-studies.ts';

const none: readonly StudyDimension[] = [];

/** What each sampler does. */
const samplers = {
  tpe: 'tpe: learns from what it has tried',
  'quasi-random': 'quasi-random: fills the space evenly',
  random: 'random: by chance',
  grid: 'grid: takes every point',
} as const satisfies Record<(typeof samplerNames)[number], string>;

/** What to try, how to search, and the button that begins. */
export function StudyForm({
  strategies,
  exchanges,
  today,
}: {
  strategies: readonly Choice[];
  exchanges: readonly Choice[];
  today: string;
}) {
  const typed = usePlanForm();
  const plan = typed.botId === null ? withFirst(typed, strategies, exchanges) : typed;
  const search = useSearchForm();
  const starting = useStartStudy();
  const planIssues = issuesOf(plan, today);
  const exchange = exchanges.find(({ id }) => id === plan.exchangeId);
  const strategyId = strategies.some(({ id }) => id === plan.strategyId) ? plan.strategyId : null;
  const { protections } = planOf(plan, '');
  const isAskable = strategyId !== null && search.spaces.length > 0 && planIssues.protections === undefined;
  const space = useStudySpace(
    isAskable
      ? { strategy_id: strategyId, timeframe: plan.timeframe, is_stake_unlimited: plan.isUnlimited, protections, spaces: search.spaces }
      : null,
  );
  const dimensions = space.data ?? none;
  const issues = searchIssues(search, strategyId, dimensions);
  const canStart = exchange !== undefined && dimensions.length > 0 && Object.keys(planIssues).length === 0 && hasNoIssue(issues);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!event.currentTarget.checkValidity()) return; // what stands in a field is not a day: it says so
    if (!canStart || strategyId === null) return;
    starting.mutate({
      strategy_id: strategyId,
      plan: planOf(plan, exchange.name),
      search: searchOf(search, strategyId, dimensions),
      ...(plan.botId === null ? {} : { bot_id: plan.botId }),
    });
  };
  return (
    <form onSubmit={submit} noValidate className="st-form">
      <CardPanel title="What to Try">
        <div className="bp-form">
          <PlanFields form={plan} issues={planIssues} strategies={strategies} exchanges={exchanges} today={today} />
        </div>
      </CardPanel>
      <CardPanel title="How to Search">
        <div className="bp-form">
          <Search search={search} issues={issues} />
          {space.isError ? (
            <Banner tone="error" text="Failed to load what can be searched" detail={detailOf(space.error) ?? ''} />
          ) : (
            <Ranges strategyId={strategyId} dimensions={dimensions} isLoading={space.isLoading} search={search} issues={issues} />
          )}
          <div className="bp-run">
            <Button
              type="submit"
              size="large"
              icon={<IconPlayerPlay size={15} aria-hidden />}
              loading={starting.isPending}
              disabled={!canStart}
            >
              Start Study
            </Button>
            <p className="bp-note" role="status">
              {needText(strategyId, exchange !== undefined, plan.pairs.length)}
            </p>
          </div>
          {starting.isError ? <Banner tone="error" text={detailOf(starting.error) ?? 'Failed to begin the study'} /> : null}
        </div>
      </CardPanel>
    </form>
  );
}

function needText(strategyId: string | null, hasExchange: boolean, pairs: number): string {
  if (strategyId === null) return 'Choose a strategy first';
  if (!hasExchange) return 'Choose an exchange first';
  return pairs === 0 ? 'Choose pairs first' : 'It continues when this page is closed. Nothing is changed by it.';
}

function Search({ search, issues }: { search: SearchForm; issues: SearchIssues }) {
  const number = (name: 'epochs' | 'minTrades' | 'seed' | 'earlyStop' | 'sealedPercent') => ({
    size: 'xs' as const,
    clampBehavior: 'none' as const,
    value: search[name],
    onChange: (value: number | string) => fillSearch({ [name]: value }),
  });
  return (
    <>
      <MultiSelectBox label="Spaces" options={spaceNames} value={search.spaces} onChange={(spaces) => fillSearch({ spaces })} />
      {issues.spaces === undefined ? null : <p className="bp-issue">{issues.spaces}</p>}
      <SelectBox label="Loss" options={lossNames} value={search.loss} onChange={(loss) => fillSearch({ loss })} />
      <SelectBox
        label="Sampler"
        options={samplerNames.map((name) => ({ value: name, label: samplers[name] }))}
        value={search.sampler}
        onChange={(sampler) => fillSearch({ sampler })}
      />
      <div className="bp-two">
        <NumberInput label="Epochs" {...number('epochs')} error={issues.epochs} />
        <NumberInput label="Min Trades" {...number('minTrades')} error={issues.minTrades} />
        <NumberInput label="Sealed (last % of the time)" placeholder="nothing" {...number('sealedPercent')} error={issues.sealed} />
        <NumberInput label="Seed" placeholder="by chance" {...number('seed')} error={issues.seed} />
        <NumberInput label="Early Stop (no better one)" placeholder="never" {...number('earlyStop')} error={issues.earlyStop} />
      </div>
    </>
  );
}

function Ranges({
  strategyId,
  dimensions,
  isLoading,
  search,
  issues,
}: {
  strategyId: string | null;
  dimensions: readonly StudyDimension[];
  isLoading: boolean;
  search: SearchForm;
  issues: SearchIssues;
}) {
  if (dimensions.length === 0)
    return (
      <p className="bp-note" role="status">
        {isLoading ? 'Loading what can be searched...' : strategyId === null ? '' : 'There is nothing to search in these spaces.'}
      </p>
    );
  const points = pointsOf(dimensions.map((dimension) => ({ ...dimension, ...rangeOf(search, strategyId, dimension) })));
  return (
    <fieldset className="st-ranges">
      <legend>
        Ranges{' '}
        <span className="fl-number">
          {points < 1e9 ? `${points.toLocaleString('en')} points` : `about 10^${Math.floor(Math.log10(points))} points`}
        </span>
      </legend>
      <table className="fl-table">
        <thead>
          <tr>
            <th scope="col">Searched</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Step</th>
          </tr>
        </thead>
        <tbody>
          {dimensions.map((dimension) => {
            const title = `${dimensionTitle(dimension)}${isRatio(dimension) ? ' (%)' : ''}`;
            const key = rangeKey(strategyId, dimension.name);
            const range = search.ranges[key] ?? typedRange(dimension);
            const field = (name: keyof typeof range, label: string) => (
              <td>
                <NumberInput
                  size="xs"
                  aria-label={`${title}, ${label}`}
                  hideControls
                  clampBehavior="none"
                  value={range[name]}
                  onChange={(value) => {
                    if (value !== range[name]) fillSearch({ ranges: { ...search.ranges, [key]: { ...range, [name]: value } } });
                  }}
                  error={issues.ranges[dimension.name] !== undefined}
                />
              </td>
            );
            return (
              <tr key={dimension.name}>
                <th scope="row">{title}</th>
                {field('min', 'from')}
                {field('max', 'to')}
                {field('step', 'step')}
              </tr>
            );
          })}
        </tbody>
      </table>
      {Object.entries(issues.ranges).map(([name, text]) => (
        <p key={name} className="bp-issue">
          {text}
        </p>
      ))}
    </fieldset>
  );
}
