import { botDefaults } from '../../../api/defaults.ts';
import { Fact } from '../../../ui/fact.tsx';
import { formatDuration } from '../../../ui/moment.ts';
import { formatRatio } from '../../../ui/ratio.ts';
import type { BotConfig } from '../../use-bot-details.ts';
import type { Strategy } from '../use-offered.ts';

/** See `EffectiveValues`. */
export interface EffectiveValuesProps {
  stored: BotConfig | null;
  strategy: Strategy | undefined; // of a new bot
}

/** What the bot really trades with and the form cannot change: of an existing bot its own values, of a new one its strategy's. */
export function EffectiveValues({ stored, strategy }: EffectiveValuesProps) {
  const timeframe = stored?.effective_timeframe ?? strategy?.default_timeframe ?? botDefaults.timeframe;
  const stoploss = stored?.effective_stoploss ?? strategy?.stoploss ?? botDefaults.stoploss;
  const roi = stored?.effective_minimal_roi ?? strategy?.minimal_roi ?? {};
  const losses = stored?.max_consecutive_losses ?? strategy?.max_consecutive_losses ?? botDefaults.max_consecutive_losses;
  return (
    <dl className="bot-effective fl-number" aria-label="Values the bot trades with">
      <Fact name="Timeframe">{timeframe}</Fact>
      <Fact name="Stop Loss">{formatRatio(stoploss, 2)}</Fact>
      <Fact name="Minimal ROI">{roiText(roi)}</Fact>
      <Fact name="Max Consecutive Losses">{losses}</Fact>
    </dl>
  );
}

/** '6.00% at once, 3.00% after 1d 0h' */
function roiText(roi: Readonly<Record<string, number>>): string {
  const steps = Object.entries(roi).toSorted(([a], [b]) => Number(a) - Number(b));
  const text = steps.map(([minutes, ratio]) => {
    const when = minutes === '0' ? 'at once' : `after ${formatDuration(Number(minutes) * 60_000)}`;
    return `${formatRatio(ratio, 2)} ${when}`;
  });
  return text.length === 0 ? 'none' : text.join(', ');
}
