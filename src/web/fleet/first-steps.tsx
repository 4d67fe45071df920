import './fleet.css';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import { canCreateBots } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { CardPanel } from '../ui/card-panel.tsx';

/** What a person without a bot does first. It goes away with the first bot. */
export function FirstSteps() {
  const user = useUser();
  const runs = useQuery({
    queryKey: ['first-steps'],
    queryFn: async ({ signal }) =>
      (await api.backtestResults({ query: {} }, { signal })).results.filter(({ is_own, status }) => is_own && status === 'done').length,
    meta: { what: 'first steps' },
  });
  const done = runs.data ?? 0;
  return (
    <CardPanel title="First Steps" aside="You have no bot yet">
      <ol className="first-steps">
        <Step isDone={done >= 1} title="Test a strategy" link="Open Backtest" tab="backtest">
          Run it over the last 30 days of a market. No account at an exchange is needed.
        </Step>
        <Step isDone={done >= 2} title="Compare two runs" link="Open Backtest" tab="backtest">
          Try another strategy or timeframe, then select both runs in the list.
        </Step>
        {canCreateBots(user) ? (
          <Step isDone={false} title="Create a paper bot" link="New Bot" tab="bot_control" view="configure">
            It takes a minute: same rules, live prices, no real orders.
          </Step>
        ) : (
          <Step isDone={false} title="Watch a bot" link="Open Bots" tab="bot_control">
            Traders and admins create bots; they appear here as soon as there is one.
          </Step>
        )}
      </ol>
    </CardPanel>
  );
}

interface StepProps {
  isDone: boolean;
  title: string;
  link: string;
  tab: string;
  view?: string;
  children: ReactNode;
}

function Step({ isDone, title, link, tab, view, children }: StepProps) {
  const Mark = isDone ? IconCircleCheck : IconCircle;
  return (
    <li className={isDone ? 'first-step first-step-done' : 'first-step'}>
      <Mark size={18} aria-label={isDone ? 'done' : 'to do'} />
      <div>
        <h3>{title}</h3>
        <p>{children}</p>
        <button type="button" className="fl-pick" onClick={() => changeAddress({ tab, view: view ?? null, bot: null })}>
          {link}
        </button>
      </div>
    </li>
  );
}
