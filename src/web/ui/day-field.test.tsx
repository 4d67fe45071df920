import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { cleanup } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { draw } from '../testing/draw.tsx';
import { Frame } from '../testing/test-page.tsx';
import { DayField } from './day-field.tsx';

afterEach(cleanup);

const received: string[] = [];
function Asked() {
  const [day, setDay] = useState('2026-11-23');
  const change = (next: string) => {
    received.push(next);
    setDay(next);
  };
  return <DayField label="Day" value={day} onChange={change} />;
}

test('a day is written the same in every country; what is none yet is passed to nobody, and said when it is left', async () => {
  received.length = 0;
  await draw(
    <Frame>
      <Asked />
    </Frame>,
  );
  const field = page.getByRole('textbox', { name: 'Day' });
  await expect.element(field).toHaveValue('2026-11-23');
  await field.fill('2026-02-30');
  expect(received).toEqual([]);
  await expect.element(page.getByText('Write a day as 2026-11-23')).not.toBeInTheDocument();
  await userEvent.tab();
  await expect.element(page.getByText('Write a day as 2026-11-23')).toBeVisible();
  await field.fill('2026-02-28');
  await expect.element(page.getByText('Write a day as 2026-11-23')).not.toBeInTheDocument();
  await field.fill('');
  expect(received).toEqual(['2026-02-28', '']);
});

test('INV-04 what is not a day makes its form invalid, and is said as soon as the form asks', async () => {
  await draw(
    <Frame>
      <form aria-label="Days">
        <Asked />
      </form>
    </Frame>,
  );
  const field = page.getByRole('textbox', { name: 'Day' });
  const asks = () => (page.getByRole('form', { name: 'Days' }).element() as HTMLFormElement).checkValidity();
  expect(asks()).toBe(true);
  await field.fill('2026-11-2');
  await expect.element(page.getByText('Write a day as 2026-11-23')).not.toBeInTheDocument();
  expect(asks()).toBe(false);
  await expect.element(page.getByText('Write a day as 2026-11-23')).toBeVisible();
  await field.fill('2026-11-24');
  expect(asks()).toBe(true);
  await field.fill('2026-11-2');
  await field.fill('');
  expect(asks()).toBe(true);
});
