import './trading.css';
import { concerns } from '../live/use-trading-of.ts';
import { useTradingState } from '../live/use-trading-state.ts';
import { CloseAll } from './close-all.tsx';
import { ClosingProgress } from './closing-progress.tsx';
import { Press } from './press.tsx';
import { ReArm } from './re-arm.tsx';
import { StateBadge } from './state-badge.tsx';
import { closeAllText, stateTexts, stepOf, whose } from './trading-words.ts';

/** The kill switch of one bot, below its settings: what holds for it, whoever set that, and its own switch. */
export function BotSwitch({ id, nickname, ownerId }: { id: string; nickname: string; ownerId: string }) {
  const { view } = useTradingState();
  if (view === undefined) return null;
  const set = view.switches.find((each) => each.level === 'bot' && each.id === id);
  const state = set?.state ?? 'active';
  const above = view.switches.filter((each) => each.level !== 'bot' && each.state !== 'active' && concerns(each, { id, ownerId }));
  const target = { level: 'bot', id } as const;
  const subject = `Bot ${nickname}`;
  return (
    <section className="fl-panel" aria-labelledby="bot-switch-title">
      <header className="fl-panel-head">
        <h2 id="bot-switch-title">Kill Switch</h2>
        <div className="fl-panel-aside">{set === undefined || state === 'active' ? 'not pressed' : <StateBadge state={stepOf(set)} />}</div>
      </header>
      <div className="trading-bot">
        <div>
          {set !== undefined && set.closing_all !== null ? (
            <ClosingProgress of={set.closing_all} />
          ) : above.length === 0 || state !== 'active' ? (
            <p>{state === 'active' ? 'Nothing of this bot is stopped here.' : stateTexts[state]}</p>
          ) : null}
          {above.map((each) => (
            <p key={each.level}>
              {whose(each, false)}: <StateBadge state={stepOf(each)} /> {each.closing_all === null ? stateTexts[each.state] : closeAllText}{' '}
              This holds for this bot too.
            </p>
          ))}
        </div>
        <div className="trading-actions">
          <Press state="reducing" from={state} target={target} subject={subject} />
          <Press state="halted" from={state} target={target} subject={subject} />
          {set?.closing_all ? null : <CloseAll target={target} subject={subject} openTrades={null} />}
          {set === undefined ? null : <ReArm of={set} subject={subject} />}
        </div>
      </div>
    </section>
  );
}
