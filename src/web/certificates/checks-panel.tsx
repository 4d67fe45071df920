import { IconAlertTriangle, IconEqual } from '@tabler/icons-react';
import { CardPanel } from '../ui/card-panel.tsx';
import { Fact } from '../ui/fact.tsx';
import { formatMoment } from '../ui/moment.ts';
import { formatPnl } from '../ui/money.ts';
import { versionsText } from './certificate-text.ts';
import type { Certificate } from './use-certificate.ts';

/** See `ChecksPanel`. */
export interface ChecksPanelProps {
  certificate: Certificate;
  currency: string;
  replayedAt: string | null;
}

/** What was compared, and on what. */
export function ChecksPanel({ certificate, currency, replayedAt }: ChecksPanelProps) {
  const { candles, decisions, trades, trades_same: same, parts, versions, fingerprint, took_ms: tookMs, notes } = certificate;
  const data = parts.data;
  return (
    <CardPanel title="Checks">
      <dl className="certificates-checks">
        <Fact name="Candles the same">
          <Same same={candles.same} of={candles.seen} none="not on record" />
        </Fact>
        <Fact name="Decisions the same">
          <Same same={decisions.same} of={decisions.recorded} none="not on record" isGrave={decisions.differing.length > 0} />
        </Fact>
        <Fact name="Trades the same">
          <Same same={same} of={trades.length} none="none made" />
        </Fact>
        {decisions.failed === 0 ? null : <Fact name="Without an answer">{decisions.failed} decisions</Fact>}
        <Fact name="Settings">{versionsText(versions)}</Fact>
        <Fact name="Candle data differed">
          {candles.differing === 0
            ? candles.seen === 0
              ? 'not known'
              : 'none'
            : `${fieldsText(candles.listed, candles.differing)}, ${formatPnl(Number(data ?? 0), currency)}`}
        </Fact>
        <Fact name="Replayed">
          {replayedAt === null ? 'not yet' : formatMoment(replayedAt)} in {tookText(tookMs)}
        </Fact>
        <Fact name="Fingerprint">
          <code>{fingerprint.match(/.{1,4}/gu)?.join(' ')}</code>
        </Fact>
      </dl>
      {notes.length === 0 ? null : (
        <ul className="certificates-notes" aria-label="Notes on the replay">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </CardPanel>
  );
}

/** See `Same`. */
interface SameProps {
  same: number;
  of: number;
  none: string; // where there is nothing to compare
  isGrave?: boolean;
}

/** How many of how many are the same; green where all are. */
function Same({ same, of, none, isGrave = false }: SameProps) {
  if (of === 0) return none;
  const isAll = same === of;
  return (
    <span className={isAll ? 'certificates-good' : isGrave ? 'fl-down' : 'certificates-some'}>
      {isAll ? <IconEqual size={13} aria-hidden /> : <IconAlertTriangle size={13} aria-hidden />} {same} of {of}
    </span>
  );
}

/** How long a replay took: `38 ms`, `12.4 s`. */
function tookText(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** What differs in candles: '1 volume', '3 candles'. */
function fieldsText(listed: Certificate['candles']['listed'], count: number): string {
  const [first] = listed;
  if (count === 1 && first?.fields.length === 1) return `1 ${first.fields[0]}`;
  return count === 1 ? '1 candle' : `${count} candles`;
}
