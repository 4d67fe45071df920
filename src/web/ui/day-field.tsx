import { ActionIcon, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';

/** See `DayField`. */
export interface DayFieldProps {
  label: string;
  hideLabel?: boolean; // read aloud only
  value: string; // 2026-11-23; empty for none
  error?: string | null;
  onChange: (day: string) => void; // only days that exist, and empty
}

const noDay = 'Write a day as 2026-11-23';

/**
 * A day, written as everywhere in the product: 2026-11-23, in every country. The browser's calendar opens from its button.
 * While it shows what is not a day, `value` is not what is seen: its form is invalid, and `checkValidity` of the form makes it say so.
 */
export function DayField({ label, hideLabel = false, value, error = null, onChange }: DayFieldProps) {
  // What is typed counts while it is not a day yet, and nothing else has chosen one meanwhile.
  const [typed, setTyped] = useState<{ text: string; over: string } | null>(null);
  const [isLeft, setLeft] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const calendar = useRef<HTMLInputElement>(null);
  const unfinished = typed !== null && typed.over === value ? typed.text : null;
  const isUnfinished = unfinished !== null;
  useLayoutEffect(() => input.current?.setCustomValidity(isUnfinished ? noDay : ''), [isUnfinished]);
  const take = (text: string) => {
    if (text === '' || isDay(text)) {
      setTyped(null);
      onChange(text);
    } else {
      setTyped({ text, over: value });
      setLeft(false);
    }
  };
  return (
    <div className="fl-day">
      <TextInput
        ref={input}
        {...(hideLabel ? { 'aria-label': label } : { label })}
        placeholder="2026-11-23"
        autoComplete="off"
        spellCheck={false}
        maxLength={10}
        value={unfinished ?? value}
        error={isUnfinished && isLeft ? noDay : error}
        onChange={(event) => take(event.currentTarget.value.trim())}
        onBlur={() => setLeft(true)}
        onInvalid={(event) => {
          event.preventDefault(); // the browser's own bubble would say it a second time
          setLeft(true);
        }}
        rightSection={
          <ActionIcon variant="subtle" size={22} aria-label="Open the calendar" onClick={() => calendar.current?.showPicker()}>
            <IconCalendar size={14} aria-hidden />
          </ActionIcon>
        }
      />
      <input
        ref={calendar}
        className="fl-day-calendar"
        type="date"
        tabIndex={-1}
        aria-hidden
        value={value}
        onChange={(event) => take(event.currentTarget.value)}
      />
    </div>
  );
}

/** Whether there is such a day: '2026-02-30' is none. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(time) && new Date(time).toISOString().slice(0, 10) === text;
}
