import { IconPlus, IconTrash } from '@tabler/icons-react';
import { Button } from '../../../ui/button.tsx';
import { Figure } from './figure.tsx';
import type { RoiLine } from './own-entries.ts';
import { linesIn } from './own-entries.ts';

/** How many entries a ROI table may have. */
const linesMax = 3;

/** The bot's own ROI table: from which profit a trade is closed, by its age. */
export function RoiControl({ text, invalid, onChange }: { text: string; invalid: boolean; onChange: (text: string) => void }) {
  const lines = linesIn(text);
  const write = (changed: readonly RoiLine[]) => onChange(JSON.stringify(changed));
  const change = (index: number, part: Partial<RoiLine>) => write(lines.map((line, i) => (i === index ? { ...line, ...part } : line)));
  return (
    <div className="bot-own-roi">
      {lines.map(({ minutes, percent }, i) => (
        <div key={i} className="bot-own-roi-line">
          <Figure
            label={`Own Minimal ROI: profit ${i + 1}`}
            unit="%"
            text={percent}
            invalid={invalid}
            onChange={(typed) => change(i, { percent: typed })}
          />
          <span className="bot-label">after</span>
          <Figure
            label={`Own Minimal ROI: minutes ${i + 1}`}
            unit="min"
            text={minutes}
            invalid={invalid}
            onChange={(typed) => change(i, { minutes: typed.replaceAll('.', '').slice(0, 7) })}
          />
          {lines.length <= 1 ? null : (
            <Button
              variant="ghost"
              size="small"
              aria-label={`Remove own ROI entry ${i + 1}`}
              onClick={() => write(lines.filter((_, at) => at !== i))}
            >
              <IconTrash size={13} aria-hidden />
            </Button>
          )}
        </div>
      ))}
      {lines.length >= linesMax ? null : (
        <Button
          variant="ghost"
          size="small"
          icon={<IconPlus size={12} aria-hidden />}
          onClick={() => write([...lines, { minutes: '', percent: '' }])}
        >
          Add Entry
        </Button>
      )}
    </div>
  );
}
