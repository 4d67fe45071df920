import { IconPlayerPlay } from '@tabler/icons-react';
import type { FormEvent } from 'react';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import type { Choice } from '../backtest-form.ts';
import { withFirst } from '../backtest-form.ts';
import { candlesOf, issuesOf, planOf } from './plan-form.ts';
import { PlanFields } from './plan-fields.tsx';
import { PlanStatus } from './plan-status.tsx';
import { usePlanForm } from './portfolio-store.ts';
import type { Portfolios } from './use-portfolios.ts';

/** See `RunPlan`. */
export interface RunPlanProps {
  portfolios: Portfolios;
  strategies: readonly Choice[];
  exchanges: readonly Choice[];
  today: string; // UTC day
}

/** What to run over several pairs, the button that runs it, and how far it is. */
export function RunPlan({ portfolios, strategies, exchanges, today }: RunPlanProps) {
  const typed = usePlanForm();
  const form = typed.botId === null ? withFirst(typed, strategies, exchanges) : typed;
  const issues = issuesOf(form, today);
  const exchange = exchanges.find(({ id }) => id === form.exchangeId);
  const isKnown = strategies.some(({ id }) => id === form.strategyId);
  const canRun = isKnown && exchange !== undefined && Object.keys(issues).length === 0 && portfolios.open === null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!event.currentTarget.checkValidity()) return; // what stands in a field is not a day: it says so
    if (canRun && form.strategyId !== null)
      portfolios.start({
        strategy_id: form.strategyId,
        plan: planOf(form, exchange.name),
        ...(form.botId === null ? {} : { bot_id: form.botId }),
      });
  };
  const missing = [
    isKnown ? null : 'a strategy',
    exchange === undefined ? 'an exchange' : null,
    form.pairs.length === 0 ? 'pairs' : null,
  ].filter((need) => need !== null);
  return (
    <CardPanel title="Portfolio Backtest">
      <form className="bp-form" onSubmit={submit} noValidate>
        <PlanFields form={form} issues={issues} strategies={strategies} exchanges={exchanges} today={today} />
        <div className="bp-run">
          <Button
            type="submit"
            size="large"
            icon={<IconPlayerPlay size={15} aria-hidden />}
            loading={portfolios.isStarting}
            disabled={!canRun}
          >
            Run Backtest
          </Button>
          <PlanStatus portfolios={portfolios} missing={missing} candles={candlesOf(form)} />
        </div>
        {portfolios.failure === null ? null : <Banner tone="error" text={portfolios.failure} />}
      </form>
    </CardPanel>
  );
}
