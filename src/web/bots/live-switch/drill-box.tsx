import type { CallReply } from '#contract/client.ts';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { MessageLine } from '../../ui/message-line.tsx';
import { formatDuration } from '../../ui/moment.ts';
import { useSubmission } from '../../ui/use-submission.ts';
import type { LiveCheck } from './use-live-check.ts';

/** See `DrillBox`. */
export interface DrillBoxProps {
  botId: string;
  drill: LiveCheck['drill'];
  isUnsaved: boolean; // settings are saved only with the change: none can be run with them before
  onRun: (drill: NonNullable<LiveCheck['drill']>) => void;
}

/** The rehearsal of a bot before it trades live: what it is, the newest result, and a button that runs it. */
export function DrillBox({ botId, drill, isUnsaved, onRun }: DrillBoxProps) {
  const [{ busy, failed, notice }, submit] = useSubmission<'run'>();
  const run = () =>
    void submit('run', null, async () => {
      const answer: CallReply<'runDrill'> = await api.runDrill({ params: { id: botId } });
      if (answer.drill !== null) onRun(answer.drill);
      else return answer.why ?? undefined;
    });
  return (
    <section className="live-drill" aria-label="Drill">
      <div className="live-drill-head">
        <div>
          <h3>Drill</h3>
          <p>
            An hour of this bot's settings at a simulated exchange, where answers get lost, orders arrive late and the bot's process is
            killed again and again. It takes a few seconds; the bot itself is not touched.
          </p>
        </div>
        <Button variant="secondary" loading={busy !== null} disabled={isUnsaved} onClick={run}>
          {busy !== null ? 'Running...' : drill === null ? 'Run Drill' : 'Run Again'}
        </Button>
      </div>
      {failed !== null ? <MessageLine tone="error" text={`Failed to run the drill: ${messageOf(failed.error)}`} /> : null}
      {notice !== null ? <MessageLine tone="error" text={notice} /> : null}
      {isUnsaved ? (
        <p className="live-drill-skip">
          A drill runs with what is saved, and these settings are not saved yet. To run one, save them in paper mode first.
        </p>
      ) : null}
      {drill === null ? (
        <p className="live-drill-skip">No drill was run. Going live without one is possible, and is kept in the audit log.</p>
      ) : (
        <DrillResult drill={drill} isUnsaved={isUnsaved} />
      )}
    </section>
  );
}

function DrillResult({ drill, isUnsaved }: { drill: NonNullable<LiveCheck['drill']>; isUnsaved: boolean }) {
  const { differences, leftovers, refusals } = drill;
  return (
    <>
      {drill.is_current || isUnsaved ? null : (
        <p className="live-drill-skip">
          It was run with other settings than the bot has now. Run it again; going live without it is kept in the audit log.
        </p>
      )}
      <dl className="live-drill-figures fl-number">
        <Figure name="Orders">{drill.orders}</Figure>
        <Figure name="Trades">{drill.trades}</Figure>
        <Figure name="Stops">{drill.stops}</Figure>
        <Figure name="Faults">{drill.faults}</Figure>
        <Figure name="Lost answers">{drill.lost_answers}</Figure>
        <Figure name="Kills">{drill.kills + drill.freezes}</Figure>
        <Figure name="Longest without a stop">{formatDuration(drill.longest_without_stop_ms)}</Figure>
        <Figure name="Differences" isBad={differences.length > 0}>
          {differences.length}
        </Figure>
      </dl>
      <ul className="live-drill-notes">
        {differences.map((text) => (
          <li key={text} className="live-drill-bad">
            {text}
          </li>
        ))}
        {drill.orders === 0 ? <li className="live-drill-bad">Not one order could be placed.</li> : null}
        {refusals.map(({ gate, count }) => (
          <li key={gate}>
            Entries refused: {gate.replaceAll('-', ' ')}, {count} {count === 1 ? 'time' : 'times'}.
          </li>
        ))}
        {leftovers.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}

function Figure({ name, isBad = false, children }: { name: string; isBad?: boolean; children: number | string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isBad ? 'live-drill-bad' : undefined}>{children}</dd>
    </div>
  );
}
