import './trading.css';
import { IconHandStop } from '@tabler/icons-react';
import type { TradingSwitch } from '../live/use-trading-state.ts';
import { useTradingState } from '../live/use-trading-state.ts';
import { useUser } from '../session/use-session.ts';
import { formatMoment } from '../ui/moment.ts';
import { ReArm } from './re-arm.tsx';
import { ClosingProgress } from './closing-progress.tsx';
import type { TradingStep } from './trading-words.ts';
import { setterOf, stepOf, whose } from './trading-words.ts';

/** Every kill switch that keeps the viewer's bots, or the whole server, from trading: on each tab, until it is re-armed. */
export function TradingBanner() {
  const { view } = useTradingState();
  const userId = useUser()?.userId;
  const shown = view?.switches.filter(({ state, level, id }) => state !== 'active' && (level !== 'user' || id === userId));
  if (shown === undefined || shown.length === 0) return null;
  return (
    <section aria-label="Trading is stopped">
      <ul className="trading-banner">
        {shown.map((each) => (
          <Stopped key={`${each.level}${each.id}`} of={each} />
        ))}
      </ul>
    </section>
  );
}

const doing = {
  active: 'trading',
  reducing: 'entries are stopped',
  halted: 'trading is halted',
  closing: 'all trades are being closed',
  closed: 'trading is halted, all trades were closed',
} as const satisfies Record<TradingStep, string>;

function Stopped({ of }: { of: TradingSwitch }) {
  const subject = whose(of, true);
  const isHalted = of.state === 'halted';
  return (
    <li className={isHalted ? 'fl-notice trading-line-halted' : 'fl-notice'}>
      <IconHandStop size={16} aria-hidden />
      <div>
        <p>
          <b>
            {subject}: {doing[stepOf(of)]}
          </b>{' '}
          <span>
            {of.closing_all !== null
              ? 'No new orders but those that close.'
              : isHalted
                ? 'No new orders but stops.'
                : 'No new trades; exits and stops continue.'}{' '}
            Since {formatMoment(of.since)} UTC by {setterOf(of, 'an administrator')}
          </span>
        </p>
        {of.closing_all === null ? null : <ClosingProgress of={of.closing_all} most={3} />}
      </div>
      <ReArm of={of} subject={subject} />
    </li>
  );
}
