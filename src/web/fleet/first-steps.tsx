import './fleet.css';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import { canCreateBots } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { CardPanel } from '../ui/card-panel.tsx';

/** What a person without a bot does first. It goes away with the first bot. `onFirstBot` opens the form of a bot that trades within minutes. */
export function FirstSteps({ onFirstBot }: { onFirstBot: () => void }) {
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
          <Step
            isDone={false}
            title="Create a paper bot"
            link="New Bot"
            tab="bot_control"
            view="configure"
            before={
              <button type="button" className="fl-pick" onClick={onFirstBot}>
                See a Bot Trade
              </button>
            }
          >
            Same rules, live prices, no real orders. One that is filled in for you has its first trade within three minutes: create it and
            activate it.
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
  before?: ReactNode; // another way, before the link
  children: ReactNode;
}

function Step({ isDone, title, link, tab, view, before, children }: StepProps) {
  const Mark = isDone ? IconCircleCheck : IconCircle;
  return (
    <li className={isDone ? 'first-step first-step-done' : 'first-step'}>
      <Mark size={18} aria-label={isDone ? 'done' : 'to do'} />
      <div>
        <h3>{title}</h3>
        <p>{children}</p>
        {before}
        <button type="button" className="fl-pick" onClick={() => changeAddress({ tab, view: view ?? null, bot: null })}>
          {link}
        </button>
      </div>
    </li>
  );
}
