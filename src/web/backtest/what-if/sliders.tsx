import { IconArrowBackUp, IconBolt } from '@tabler/icons-react';
import { useId } from 'react';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { type SliderGroup, type SliderOf, stepped, type Turned } from './slider-list.ts';

/** See `Sliders`. */
export interface SlidersProps {
  groups: readonly SliderGroup[];
  turned: Turned;
  onTurn: (key: string, value: number | null) => void; // null: as it really is
  onBack: () => void;
  foot: string | null; // how long a replay takes
}

/** What can be turned, with what is real marked on each track. */
export function Sliders({ groups, turned, onTurn, onBack, foot }: SlidersProps) {
  return (
    <CardPanel
      title="What If"
      aside={
        <Button
          variant="secondary"
          icon={<IconArrowBackUp size={14} aria-hidden />}
          disabled={Object.keys(turned).length === 0}
          onClick={onBack}
        >
          Back to Real
        </Button>
      }
      flush
    >
      <div className="wi-sliders">
        {groups.map(({ name, sliders }) =>
          sliders.length === 0 ? null : (
            <fieldset key={name} className="wi-group">
              <legend>{name}</legend>
              {sliders.map((slider) => (
                <Slider key={slider.key} slider={slider} value={turned[slider.key]} onTurn={onTurn} />
              ))}
            </fieldset>
          ),
        )}
      </div>
      <p className="wi-foot fl-number">
        <IconBolt size={13} aria-hidden /> {foot ?? 'Nothing is replayed yet.'}
      </p>
    </CardPanel>
  );
}

/** One of them; a double click on its name brings back what is real. */
function Slider({ slider, value, onTurn }: { slider: SliderOf; value: number | undefined; onTurn: SlidersProps['onTurn'] }) {
  const { key, label, hint, min, max, step, real, show } = slider;
  const id = useId();
  const now = value ?? real;
  const isTurned = value !== undefined;
  const place = (of: number | null): number => (max === min ? 0 : Math.min(1, Math.max(0, ((of ?? max) - min) / (max - min))));
  const [was, is] = [place(real), place(now)];
  return (
    <div className="wi-slider">
      <div className="wi-slider-head">
        <label htmlFor={id} title={hint ?? undefined}>
          {label}
        </label>
        <span className="fl-number">
          {isTurned ? <span className="wi-was">was {show(real)}</span> : null} <b>{show(now)}</b>
        </span>
      </div>
      <div
        className="wi-track"
        style={{ '--wi-was': was, '--wi-low': Math.min(was, is), '--wi-high': Math.max(was, is) } as React.CSSProperties}
      >
        <input
          id={id}
          type="range"
          min={min}
          max={max}
          step={step}
          value={now ?? max}
          aria-valuetext={isTurned ? `${show(now)}, was ${show(real)}` : show(now)}
          onChange={({ currentTarget }) => {
            const next = stepped(slider, currentTarget.valueAsNumber);
            onTurn(key, real !== null && Math.abs(next - real) < step / 2 ? null : next);
          }}
        />
        {isTurned ? <span className="wi-real" aria-hidden /> : null}
      </div>
      {hint === null ? null : <p className="wi-hint">{hint}</p>}
    </div>
  );
}
