import { TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { wasText } from './fields.tsx';
import type { FormPart } from './form-part.ts';
import { digitsOnly, ratioLeft, ratioTyped, roiWords } from './roi-text.ts';
import type { RoiEntry } from './strategy-fields.ts';
import { roiEntriesMax } from './strategy-fields.ts';

/** From which profit a trade is closed, by its age; `stored` is how many entries the strategy has. */
export function RoiSection({ part, stored }: { part: FormPart; stored: number }) {
  const { shown, readOnly, isBusy, issue } = part;
  const entries = shown.minimal_roi;
  const change = (index: number, changes: Partial<RoiEntry>) =>
    part.onChange(
      'minimal_roi',
      entries.map((entry, i) => (i === index ? { ...entry, ...changes } : entry)),
    );
  return (
    <CardPanel title="ROI Configuration" aside={`at most ${roiEntriesMax} entries`} flush>
      <ul className="strategy-rows" aria-label="ROI entries">
        {entries.map((entry, index) => (
          <li key={index} className="strategy-roi">
            <TextInput
              aria-label={`Minutes of entry ${index + 1}`}
              inputMode="numeric"
              value={entry.minutes}
              readOnly={readOnly}
              disabled={isBusy}
              rightSection={<span className="strategy-unit">min</span>}
              onChange={(event) => change(index, { minutes: digitsOnly(event.currentTarget.value) })}
            />
            <TextInput
              aria-label={`ROI of entry ${index + 1}`}
              inputMode="decimal"
              value={entry.ratio}
              readOnly={readOnly}
              disabled={isBusy}
              onChange={(event) => change(index, { ratio: ratioTyped(event.currentTarget.value, entry.ratio) })}
              onBlur={() => {
                if (!readOnly && entry.ratio !== '') change(index, { ratio: ratioLeft(entry.ratio) });
              }}
            />
            <span className="strategy-words">{roiWords(entry)}</span>
            {readOnly || entries.length <= 1 ? null : (
              <Button
                variant="ghost"
                aria-label={`Remove ROI entry ${index + 1}`}
                disabled={isBusy}
                onClick={() =>
                  part.onChange(
                    'minimal_roi',
                    entries.filter((_, i) => i !== index),
                  )
                }
              >
                <IconTrash size={14} aria-hidden />
              </Button>
            )}
          </li>
        ))}
      </ul>
      {stored > roiEntriesMax ? (
        <p className="strategy-hint strategy-inset">
          The strategy has {stored} entries, and all are in use; the first {roiEntriesMax} are shown. Saving a change of them drops the
          others.
        </p>
      ) : null}
      <p className="strategy-hint strategy-inset">{wasText(part, 'minimal_roi')}</p>
      {issue?.field === 'minimal_roi' ? (
        <p className="strategy-issue" role="alert">
          {issue.text}
        </p>
      ) : null}
      <div className="strategy-foot">
        {readOnly ? null : (
          <Button
            variant="secondary"
            size="small"
            icon={<IconPlus size={13} aria-hidden />}
            disabled={isBusy || entries.length >= roiEntriesMax}
            title={entries.length >= roiEntriesMax ? `At most ${roiEntriesMax} entries` : ''}
            onClick={() => part.onChange('minimal_roi', [...entries, { minutes: '', ratio: '' }])}
          >
            Add Entry
          </Button>
        )}
        <div className="strategy-pager">
          <Button variant="secondary" size="small" disabled>
            Previous
          </Button>
          <span>Page 1 of 1</span>
          <Button variant="secondary" size="small" disabled>
            Next
          </Button>
        </div>
      </div>
    </CardPanel>
  );
}
