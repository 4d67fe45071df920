import './trading.css';
import type { TradingSwitch, TradingView } from '../live/use-trading-state.ts';
import { useTradingState } from '../live/use-trading-state.ts';
import { reasonOf } from '../session/login-flow.ts';
import { FailedLoad } from '../ui/failed-load.tsx';
import { formatMoment } from '../ui/moment.ts';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { CloseAll } from './close-all.tsx';
import { ClosingProgress } from './closing-progress.tsx';
import { Press } from './press.tsx';
import { ReArm } from './re-arm.tsx';
import { StateBadge } from './state-badge.tsx';
import { closeAllText, count, setterOf, stateTexts, stepOf, whose } from './trading-words.ts';
import { targetOf } from './use-switch.ts';

/** The page of admins about the kill switch: what each step of it does, and every switch that was set. */
export function KillSwitch() {
  const { view, error, isLoading, reload } = useTradingState();
  return (
    <div className="trading-page">
      <h1 className="fl-visually-hidden">Kill Switch</h1>
      <section className="fl-panel" aria-labelledby="kill-switch-title">
        <header className="fl-panel-head">
          <h2 id="kill-switch-title">Kill Switch</h2>
          <div className="fl-panel-aside">acts within a second; re-arming needs your password</div>
        </header>
        {view === undefined ? (
          error === null ? (
            <RowsSkeleton rows={4} />
          ) : (
            <FailedLoad
              text="Failed to load the kill switch. Please try again."
              detail={reasonOf(error)}
              isLoading={isLoading}
              onRetry={() => void reload()}
            />
          )
        ) : (
          <Loaded view={view} />
        )}
      </section>
    </div>
  );
}

function Loaded({ view }: { view: TradingView }) {
  const server = view.switches.find(({ level }) => level === 'server') ?? neverSet;
  const step = stepOf(server);
  return (
    <>
      <div className="trading-ladder">
        {(['active', 'reducing', 'halted'] as const).map((state) => (
          <div key={state} className="trading-step" aria-current={step === state ? 'step' : undefined}>
            <StateBadge state={state} />
            <p>{stateTexts[state]}</p>
            {state === 'active' ? null : (
              <Press state={state} from={view.server} target={{ level: 'server' }} subject="Whole server" isLarge />
            )}
          </div>
        ))}
        <div className="trading-step" aria-current={server.closing_all === null ? undefined : 'step'}>
          <StateBadge state={step === 'closing' ? 'closing' : 'closed'} />
          <p>{closeAllText}</p>
          {server.closing_all === null ? (
            <CloseAll target={{ level: 'server' }} subject="Whole server" openTrades={view.all_open_trades} isLarge />
          ) : null}
        </div>
      </div>
      <table className="trading-table fl-number" aria-label="Switches">
        <thead>
          <tr>
            <th scope="col">Scope</th>
            <th scope="col">State</th>
            <th scope="col">Set By</th>
            <th scope="col">Since (UTC)</th>
            <th scope="col">
              <span className="fl-visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {[server, ...view.switches.filter(({ level }) => level !== 'server')].map((each) => (
            <Row key={`${each.level}${each.id}`} of={each} bots={each.level === 'server' ? view.all_bots : null} />
          ))}
        </tbody>
      </table>
    </>
  );
}

const neverSet: TradingSwitch = {
  level: 'server',
  id: null,
  name: null,
  state: 'active',
  set_by: null,
  set_at: '',
  since: '',
  reason: 'person',
  behind: [],
  may_re_arm: false,
  closing_all: null,
};

function Row({ of, bots }: { of: TradingSwitch; bots: number | null }) {
  const subject = whose(of, false);
  const target = targetOf(of);
  return (
    <tr>
      <td>
        <b>{subject}</b> {bots === null ? null : count(bots, 'bot')}
      </td>
      <td>
        <StateBadge state={stepOf(of)} />
        {of.closing_all === null ? null : <ClosingProgress of={of.closing_all} />}
      </td>
      <td>{of.since === '' ? 'never set' : setterOf(of, 'a deleted account')}</td>
      <td>{of.since === '' ? '' : formatMoment(of.since)}</td>
      <td>
        <div className="trading-actions">
          <Press state="reducing" from={of.state} target={target} subject={subject} />
          <Press state="halted" from={of.state} target={target} subject={subject} />
          {of.closing_all === null && of.level !== 'server' ? <CloseAll target={target} subject={subject} openTrades={null} /> : null}
          <ReArm of={of} subject={subject} />
        </div>
      </td>
    </tr>
  );
}
