import { botDefaults } from '../../../api/defaults.ts';
import { Fact } from '../../../ui/fact.tsx';
import { formatRatio } from '../../../ui/ratio.ts';
import type { BotConfig } from '../../use-bot-details.ts';
import type { OwnEntries } from '../own/own-entries.ts';
import { toOwnChanges } from '../own/own-entries.ts';
import { roiWords } from '../own/roi-words.ts';
import type { Strategy } from '../use-offered.ts';

/** See `EffectiveValues`. */
export interface EffectiveValuesProps {
  stored: BotConfig | null;
  strategy: Strategy | undefined; // of a new bot
  own: OwnEntries; // what a new bot is to have of its own
}

/** What the bot really trades with now: of an existing bot what is stored, of a new one its own and what its strategy has. */
export function EffectiveValues({ stored, strategy, own: typed }: EffectiveValuesProps) {
  const own = stored === null ? toOwnChanges(typed, {}) : undefined;
  const timeframe = stored?.effective_timeframe ?? own?.timeframe ?? strategy?.default_timeframe ?? botDefaults.timeframe;
  const stoploss = stored?.effective_stoploss ?? own?.stoploss ?? strategy?.stoploss ?? botDefaults.stoploss;
  const roi = stored?.effective_minimal_roi ?? own?.minimal_roi ?? strategy?.minimal_roi ?? {};
  const losses =
    stored?.max_consecutive_losses ?? own?.max_consecutive_losses ?? strategy?.max_consecutive_losses ?? botDefaults.max_consecutive_losses;
  return (
    <dl className="bot-effective fl-number" aria-label="Values the bot trades with">
      <Fact name="Timeframe">{timeframe}</Fact>
      <Fact name="Stop Loss">{formatRatio(stoploss, 2)}</Fact>
      <Fact name="Minimal ROI">{roiWords(roi)}</Fact>
      <Fact name="Max Consecutive Losses">{losses}</Fact>
    </dl>
  );
}
