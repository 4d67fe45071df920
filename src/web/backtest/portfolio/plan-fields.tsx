import { Checkbox, NumberInput, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { tradingModes } from '#contract/backtests.ts';
import { mostPairs } from '#contract/portfolios.ts';
import { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import { Button } from '../../ui/button.tsx';
import { DayField } from '../../ui/day-field.tsx';
import { SelectBox } from '../../ui/select-box.tsx';
import { Switch } from '../../ui/switch.tsx';
import type { Choice } from '../backtest-form.ts';
import { useSymbols } from '../use-backtests.ts';
import type { PlanForm, PlanIssues } from './plan-form.ts';
import { dayBefore, daysOf, detailsFor, pastedPairs } from './plan-form.ts';
import { fillPlan } from './portfolio-store.ts';
import { useBotsOf } from './use-bots-of.ts';

/** See `PlanFields`. */
export interface PlanFieldsProps {
  form: PlanForm;
  issues: PlanIssues;
  strategies: readonly Choice[];
  exchanges: readonly Choice[];
  today: string; // UTC day
}

/** The fields that say what is run over which pairs and time, with what money: of a run over several pairs, and of a study. */
export function PlanFields({ form, issues, strategies, exchanges, today }: PlanFieldsProps) {
  const exchange = exchanges.find(({ id }) => id === form.exchangeId);
  const isKnown = strategies.some(({ id }) => id === form.strategyId);
  return (
    <>
      <SelectBox
        label="Strategy"
        searchable
        placeholder="Select a strategy"
        options={strategies.map(({ id, name }) => ({ value: id, label: name }))}
        value={isKnown ? form.strategyId : null}
        onChange={(strategyId) => fillPlan({ strategyId, botId: null })}
      />
      <SettingsOf form={form} />
      <div className="bp-two">
        <SelectBox
          label="Exchange"
          searchable
          placeholder="Select an exchange"
          options={exchanges.map(({ id, name }) => ({ value: id, label: name }))}
          value={exchange === undefined ? null : form.exchangeId}
          onChange={(exchangeId) => fillPlan({ exchangeId, botId: null })}
        />
        <SelectBox
          label="Market"
          options={tradingModes}
          value={form.tradingMode}
          onChange={(tradingMode) => fillPlan({ tradingMode, pairs: [], botId: null })}
        />
      </div>
      <Pairs form={form} exchangeId={exchange?.id ?? null} issue={issues.pairs ?? null} />
      <Range form={form} today={today} issue={issues.range ?? null} />
      <Terms form={form} issues={issues} />
      <Protections form={form} issue={issues.protections ?? null} />
    </>
  );
}

/** Whose settings the run takes: those of the strategy, or what one of its bots trades with. */
function SettingsOf({ form }: { form: PlanForm }) {
  const bots = useBotsOf(form.strategyId);
  if (bots.length === 0) return null;
  const take = (id: string) => {
    const bot = bots.find((each) => each.id === id);
    if (bot === undefined) return fillPlan({ botId: null });
    fillPlan({
      botId: bot.id,
      exchangeId: bot.exchange_id,
      tradingMode: bot.margin_mode === 'futures' ? 'futures' : 'spot',
      timeframe: bot.timeframe,
      detailTimeframe: null,
      pairs: bot.trading_pairs,
      slots: bot.max_open_trades,
      balance: bot.stake_amount * bot.max_open_trades,
      isUnlimited: false,
      stake: bot.stake_amount,
      leverage: bot.leverage,
    });
  };
  return (
    <SelectBox
      label="Settings of"
      options={[
        { value: 'strategy', label: 'the strategy' },
        ...bots.map(({ id, nickname }) => ({ value: id, label: `${nickname} (its own, else the strategy’s)` })),
      ]}
      value={bots.some(({ id }) => id === form.botId) ? form.botId : 'strategy'}
      onChange={take}
    />
  );
}

function Pairs({ form, exchangeId, issue }: { form: PlanForm; exchangeId: string | null; issue: string | null }) {
  const [search, setSearch] = useState('');
  const [isPasting, setPasting] = useState(false);
  const offered = useSymbols(exchangeId, form.tradingMode);
  const found = useMemo(() => offered.filter((pair) => pair.toUpperCase().includes(search.trim().toUpperCase())), [offered, search]);
  const toggle = (pair: string) =>
    fillPlan({ pairs: form.pairs.includes(pair) ? form.pairs.filter((other) => other !== pair) : [...form.pairs, pair] });
  const missing = offered.length === 0 ? [] : form.pairs.filter((pair) => !offered.includes(pair));
  return (
    <fieldset className="bp-pairs">
      <legend>
        Pairs <span>{form.pairs.length} chosen</span>
      </legend>
      <div className="bp-pairs-head">
        <TextInput
          aria-label="Search pairs"
          placeholder={`Type to search ${offered.length} pairs`}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Button variant="secondary" size="small" disabled={offered.length === 0} onClick={() => fillPlan({ pairs: offered.slice(0, 10) })}>
          First 10
        </Button>
        <Button variant="secondary" size="small" onClick={() => setPasting(!isPasting)} aria-expanded={isPasting}>
          Paste
        </Button>
        <Button variant="secondary" size="small" disabled={form.pairs.length === 0} onClick={() => fillPlan({ pairs: [] })}>
          None
        </Button>
      </div>
      {isPasting ? <Paste offered={offered} onDone={() => setPasting(false)} /> : null}
      <div className="bp-pairs-list" role="group" aria-label="Pairs of the market">
        {exchangeId === null ? (
          <p>Choose an exchange first.</p>
        ) : offered.length === 0 ? (
          <p role="status">Loading pairs...</p>
        ) : found.length === 0 ? (
          <p>No pair matches.</p>
        ) : (
          found
            .slice(0, 200)
            .map((pair) => (
              <Checkbox
                key={pair}
                size="xs"
                label={pair}
                checked={form.pairs.includes(pair)}
                disabled={!form.pairs.includes(pair) && form.pairs.length >= mostPairs}
                onChange={() => toggle(pair)}
              />
            ))
        )}
      </div>
      {missing.length > 0 ? <p className="bp-note">Not on this market: {missing.join(', ')}.</p> : null}
      {issue === null || form.pairs.length === 0 ? null : <p className="bp-issue">{issue}</p>}
    </fieldset>
  );
}

function Paste({ offered, onDone }: { offered: readonly string[]; onDone: () => void }) {
  const [text, setText] = useState('');
  const { pairs, unknown } = pastedPairs(text, offered);
  return (
    <div className="bp-paste">
      <Textarea
        aria-label="Pairs to paste"
        placeholder="BTC/USDT, ETHUSDT, ..."
        autosize
        minRows={2}
        maxRows={6}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <p className="bp-note" role="status">
        {pairs.length} found
        {unknown.length === 0 ? '' : `; not on this market: ${unknown.slice(0, 8).join(', ')}${unknown.length > 8 ? ' ...' : ''}`}
      </p>
      <Button
        size="small"
        disabled={pairs.length === 0}
        onClick={() => {
          fillPlan({ pairs: pairs.slice(0, mostPairs) });
          onDone();
        }}
      >
        Take These
      </Button>
    </div>
  );
}

const presets = [
  [30, '30 d'],
  [90, '90 d'],
  [182, '6 months'],
  [365, '1 year'],
] as const;

function Range({ form, today, issue }: { form: PlanForm; today: string; issue: string | null }) {
  const yesterday = dayBefore(today, 1);
  return (
    <fieldset className="bp-range">
      <legend className="fl-visually-hidden">Range of days, UTC</legend>
      <div className="bp-two">
        <DayField label="From (UTC)" value={form.from} error={issue} onChange={(from) => fillPlan({ from })} />
        <DayField label="To, included" value={form.to} onChange={(to) => fillPlan({ to })} />
      </div>
      <div className="bp-presets">
        {presets.map(([days, name]) => (
          <Button
            key={name}
            variant="secondary"
            size="small"
            onClick={() => fillPlan({ from: dayBefore(yesterday, days - 1), to: yesterday })}
          >
            {name}
          </Button>
        ))}
        <span className="bp-note fl-number">{issue === null ? `${daysOf(form)} days` : ''}</span>
      </div>
    </fieldset>
  );
}

function Terms({ form, issues }: { form: PlanForm; issues: PlanIssues }) {
  const number = (name: 'slots' | 'balance' | 'stake' | 'leverage' | 'feePercent' | 'slippagePercent') => ({
    size: 'xs' as const,
    clampBehavior: 'none' as const,
    value: form[name],
    onChange: (value: number | string) => fillPlan({ [name]: value }),
  });
  const details = detailsFor(form.timeframe);
  return (
    <>
      <div className="bp-two">
        <SelectBox
          label="Timeframe"
          options={strategyTimeframes}
          value={form.timeframe}
          onChange={(timeframe) =>
            fillPlan({
              timeframe,
              detailTimeframe:
                form.detailTimeframe !== null && detailsFor(timeframe).includes(form.detailTimeframe) ? form.detailTimeframe : null,
            })
          }
        />
        <SelectBox
          label="Detail Timeframe"
          options={[{ value: 'none', label: 'none' }, ...details.map((each) => ({ value: each as string, label: each as string }))]}
          value={form.detailTimeframe ?? 'none'}
          onChange={(value) => fillPlan({ detailTimeframe: details.find((each) => each === value) ?? null })}
        />
        <NumberInput label="Slots" {...number('slots')} error={issues.slots} />
        <NumberInput label="Starting Balance" {...number('balance')} error={issues.balance} />
      </div>
      <div className="bp-stake">
        <SegmentedControl
          size="xs"
          aria-label="Stake"
          value={form.isUnlimited ? 'unlimited' : 'fixed'}
          onChange={(value) => fillPlan({ isUnlimited: value === 'unlimited' })}
          data={[
            { value: 'fixed', label: 'Fixed stake' },
            { value: 'unlimited', label: 'Balance ÷ slots' },
          ]}
        />
        {form.isUnlimited ? null : <NumberInput label="Stake" {...number('stake')} error={issues.stake} />}
      </div>
      <div className="bp-two">
        {form.tradingMode === 'futures' ? <NumberInput label="Leverage" {...number('leverage')} error={issues.leverage} /> : null}
        <NumberInput label="Fee (% of each fill)" placeholder="the market's" {...number('feePercent')} error={issues.fee} />
        <NumberInput label="Slippage (% of each fill)" {...number('slippagePercent')} error={issues.slippage} />
      </div>
    </>
  );
}

function Protections({ form, issue }: { form: PlanForm; issue: string | null }) {
  const { cooldown, stoplossGuard } = form.protections;
  const change = (changes: Partial<PlanForm['protections']>) => fillPlan({ protections: { ...form.protections, ...changes } });
  const field = (label: string, value: number | string, onChange: (value: number | string) => void) => (
    <NumberInput size="xs" label={label} clampBehavior="none" value={value} onChange={onChange} />
  );
  return (
    <fieldset className="bp-protections">
      <legend>Protections</legend>
      <Switch
        size="small"
        label="Cooldown: no entry into a pair after its exit"
        checked={cooldown.isOn}
        onChange={(isOn) => change({ cooldown: { ...cooldown, isOn } })}
      />
      {cooldown.isOn ? (
        <div className="bp-two">
          {field('Minutes', cooldown.stopMinutes, (stopMinutes) => change({ cooldown: { ...cooldown, stopMinutes } }))}
        </div>
      ) : null}
      <Switch
        size="small"
        label="Stoploss guard: no entry at all after many stops"
        checked={stoplossGuard.isOn}
        onChange={(isOn) => change({ stoplossGuard: { ...stoplossGuard, isOn } })}
      />
      {stoplossGuard.isOn ? (
        <div className="bp-three">
          {field('Stops', stoplossGuard.tradeLimit, (tradeLimit) => change({ stoplossGuard: { ...stoplossGuard, tradeLimit } }))}
          {field('Within minutes', stoplossGuard.lookbackMinutes, (lookbackMinutes) =>
            change({ stoplossGuard: { ...stoplossGuard, lookbackMinutes } }),
          )}
          {field('Off for minutes', stoplossGuard.stopMinutes, (stopMinutes) =>
            change({ stoplossGuard: { ...stoplossGuard, stopMinutes } }),
          )}
        </div>
      ) : null}
      {issue === null ? null : <p className="bp-issue">{issue}</p>}
    </fieldset>
  );
}
