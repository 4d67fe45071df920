import { CardPanel } from '../ui/card-panel.tsx';
import { SwitchField, TextField } from './fields.tsx';
import type { FormPart } from './form-part.ts';
import { maxLossesOf } from './strategy-values.ts';

/** Stops, and when a bot pauses itself. */
export function TradingSection({ part }: { part: FormPart }) {
  const { shown } = part;
  return (
    <CardPanel title="Trading Parameters" aside="stops in percent, with leverage">
      <div className="strategy-grid">
        <TextField
          part={part}
          name="stoploss"
          unit="%"
          hint="A trade is closed at this loss"
          toTyped={figureTyped}
          toShown={percentShown}
        />
        <TextField part={part} name="max_consecutive_losses" hint="Number between 1 and 10" toShown={(text) => String(maxLossesOf(text))} />
        <TextField
          part={part}
          name="risk_reward_ratio"
          placeholder="none"
          hint="At least 0.1, empty for none"
          toTyped={figureTyped}
          toShown={(text) => fixed(text, 2)}
        />
        <SwitchField part={part} name="trailing_stop" hint="Moves the stop with the price" />
        {shown.trailing_stop ? (
          <>
            <TextField
              part={part}
              name="trailing_stop_positive"
              unit="%"
              placeholder="none"
              hint="Distance of the stop once in profit, empty for none"
              toTyped={figureTyped}
              toShown={percentShown}
            />
            <TextField
              part={part}
              name="trailing_stop_positive_offset"
              unit="%"
              placeholder="none"
              hint="Profit from which that distance counts"
              toTyped={figureTyped}
              toShown={percentShown}
            />
            <SwitchField part={part} name="trailing_only_offset_is_reached" hint="Nothing is moved below the offset" />
          </>
        ) : null}
      </div>
    </CardPanel>
  );
}

/** Digits, a dot and a sign; a comma becomes a dot. */
function figureTyped(text: string): string {
  return text.replaceAll(',', '.').replaceAll(/[^\d.-]/gu, '');
}

/** Two decimals, or as many as were typed. */
function percentShown(text: string): string {
  const percent = Math.abs(Number(text));
  return text.trim() === '' || Number.isNaN(percent) || Number(percent.toFixed(2)) !== percent ? text.trim() : percent.toFixed(2);
}

function fixed(text: string, decimals: number): string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? '' : Number(text).toFixed(decimals);
}
