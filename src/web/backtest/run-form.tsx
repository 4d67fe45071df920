import { backtestDays, backtestTimeframes, tradingModes } from '#contract/backtests.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';
import { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import { Autocomplete, NumberInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { FormEvent } from 'react';
import { useMemo } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import type { BacktestForm, BotOfForm, Choice } from './backtest-form.ts';
import {
  baseOfSymbol,
  formWithoutBot,
  matchingSymbols,
  numberIssues,
  periodLabel,
  symbolChoices,
  toRequest,
  toWireSymbol,
  withFirst,
} from './backtest-form.ts';
import { fillIn, formStore, useBacktestForm } from './backtest-store.ts';
import { RunStatus } from './run-status.tsx';
import type { Backtests } from './use-backtests.ts';
import { useSymbols } from './use-backtests.ts';

/** How many symbols are offered at a time; typing narrows them. */
const offeredMax = 50;

/** What to run, the button that runs it, and how far it is. */
export function RunForm({ strategies, exchanges, open, isAsked, canRun, failure, run, cancel, isCancelling }: Backtests) {
  const typed = useBacktestForm();
  const form = typed.bot === null ? withFirst(typed, strategies ?? [], exchanges ?? []) : typed;
  const request = toRequest(form, strategies ?? [], exchanges ?? []);
  const issues = numberIssues(form);
  const isReady = request !== null && issues.stakeAmount === null && issues.maxOpenTrades === null;
  const needs = [form.strategyId === null ? 'a strategy' : null, form.exchangeId === null ? 'an exchange' : null].filter(
    (need) => need !== null,
  );
  const missing = needs.length === 0 ? null : `Choose ${needs.join(' and ')} first`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && canRun) run(request);
  };
  return (
    <CardPanel title="Freqtrade Backtest Runner">
      <form className="bt-form" onSubmit={submit} noValidate>
        {form.bot === null ? null : <OfBot bot={form.bot} />}
        <Market form={form} strategies={strategies ?? []} exchanges={exchanges ?? []} />
        <Terms form={form} issues={issues} />
        <div className="bt-run">
          <RunStatus open={open} isAsked={isAsked} missing={missing} isCancelling={isCancelling} onCancel={cancel} />
          <Button
            type="submit"
            size="large"
            icon={<IconPlayerPlay size={15} aria-hidden />}
            loading={isAsked}
            disabled={!isReady || !canRun}
            {...(canRun ? {} : { title: 'A backtest is already running' })}
          >
            Run Backtest
          </Button>
        </div>
        {failure === null ? null : <Banner tone="error" text={failure} />}
      </form>
    </CardPanel>
  );
}

/** Whose settings the run takes, and the way back to those of the strategy. */
function OfBot({ bot }: { bot: BotOfForm }) {
  return (
    <div className="bt-bot" role="note">
      <div>
        <p>
          Settings of <b>{bot.nickname}</b>
        </p>
        <p>{bot.words}</p>
      </div>
      <Button variant="secondary" size="small" onClick={() => fillIn(formWithoutBot(formStore.getState().form))}>
        Use the Strategy's
      </Button>
    </div>
  );
}

interface MarketProps {
  form: BacktestForm;
  strategies: readonly Choice[];
  exchanges: readonly Choice[];
}

function Market({ form, strategies, exchanges }: MarketProps) {
  const sent = toWireSymbol(form.symbol, form.tradingMode);
  const base = baseOfSymbol(form.symbol);
  const isOffered = exchanges.some(({ id }) => id === form.exchangeId);
  const pairs = useSymbols(isOffered ? form.exchangeId : null, form.tradingMode);
  const symbols = useMemo(() => symbolChoices(pairs), [pairs]);
  return (
    <>
      <SelectBox
        label="Strategy"
        searchable
        placeholder="Select a strategy"
        options={strategies.map(({ id, name }) => ({ value: id, label: name }))}
        {...(form.bot === null ? {} : fixedByBot)}
        value={form.strategyId}
        onChange={(strategyId) => fillIn({ strategyId })}
      />
      <SelectBox
        label="Exchange"
        searchable
        placeholder="Select an exchange"
        options={exchanges.map(({ id, name }) => ({ value: id, label: name }))}
        {...(form.bot === null ? {} : fixedByBot)}
        value={form.exchangeId}
        onChange={(exchangeId) => fillIn({ exchangeId })}
      />
      {form.bot === null ? (
        <Autocomplete
          label="Symbol"
          size="xs"
          data={matchingSymbols(symbols, form.symbol)}
          filter={({ options }) => options}
          limit={offeredMax}
          maxDropdownHeight={280}
          comboboxProps={{ transitionProps: { duration: 0 } }}
          selectFirstOptionOnChange={false}
          value={form.symbol}
          description={sent === null ? 'A symbol is needed, such as BTCUSDT' : `Trades ${sent}`}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="off"
          spellCheck={false}
          onChange={(symbol) => fillIn({ symbol })}
          onBlur={() => (base === '' ? undefined : fillIn({ symbol: `${base}USDT` }))}
        />
      ) : (
        <SelectBox label="Symbol" searchable options={form.bot.pairs} value={form.symbol} onChange={(symbol) => fillIn({ symbol })} />
      )}
      <SelectBox
        label="Trading Mode"
        options={tradingModes}
        {...(form.bot === null ? {} : fixedByBot)}
        value={form.tradingMode}
        onChange={(tradingMode) => fillIn({ tradingMode })}
      />
    </>
  );
}

/** What a run with the settings of a bot takes from it. */
const fixedByBot = { disabled: true, title: 'As the bot trades' } as const;

/** The timeframes on offer; that of a bot is among them. */
function timeframesFor({ bot }: BacktestForm): readonly StrategyTimeframe[] {
  return strategyTimeframes.filter((timeframe) => timeframe === bot?.timeframe || backtestTimeframes.some((one) => one === timeframe));
}

function Terms({ form, issues }: { form: BacktestForm; issues: ReturnType<typeof numberIssues> }) {
  return (
    <>
      <SelectBox label="Timeframe" options={timeframesFor(form)} value={form.timeframe} onChange={(timeframe) => fillIn({ timeframe })} />
      <SelectBox
        label="Data Period"
        options={backtestDays.map((days) => ({ value: String(days), label: periodLabel(days) }))}
        value={String(form.days)}
        onChange={(value) => {
          const days = backtestDays.find((one) => String(one) === value);
          if (days !== undefined) fillIn({ days });
        }}
      />
      <NumberInput
        label={`Stake Amount (${form.bot?.currency ?? 'USDT'})`}
        size="xs"
        min={0}
        clampBehavior="none"
        value={form.stakeAmount}
        error={issues.stakeAmount}
        onChange={(stakeAmount) => fillIn({ stakeAmount })}
      />
      <NumberInput
        label="Max Open Trades"
        size="xs"
        min={1}
        max={50}
        clampBehavior="none"
        value={form.maxOpenTrades}
        error={issues.maxOpenTrades}
        onChange={(maxOpenTrades) => fillIn({ maxOpenTrades })}
      />
    </>
  );
}
