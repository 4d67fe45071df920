// oxlint-disable react/static-components -- what `late` gives is one component, the same at each drawing once it is there
import '@mantine/core/styles.css';
import './ui.css';
import { MantineProvider } from '@mantine/core';
import type { ComponentType } from 'react';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { draw } from '../testing/draw.tsx';
import { theme } from '../theme.ts';
import { late } from './late.ts';

test('a late part is drawn by everybody once it is there; where it cannot be fetched the next call tries again', async () => {
  const answers: ((part: ComponentType | null) => void)[] = [];
  const part = late(
    () =>
      new Promise<ComponentType>((resolve, reject) => {
        answers.push((fetched) => (fetched === null ? reject(new Error('offline')) : resolve(fetched)));
      }),
  );
  function Place() {
    const Part = part.use();
    return Part === null ? <p>not yet</p> : <Part />;
  }
  await draw(
    <>
      <Place />
      <Place />
    </>,
  );
  const failed = part.load();
  answers[0]?.(null);
  expect(await failed).toBe(false);
  const [first, second] = [part.load(), part.load()];
  expect(answers).toHaveLength(2); // one fetch for both
  answers[1]?.(() => <p>here</p>);
  expect(await Promise.all([first, second])).toEqual([true, true]);
  await expect.poll(() => page.getByText('here').elements().length).toBe(2);
  expect(page.getByText('not yet').elements()).toEqual([]);
});

/** The select box as a page has it that nobody has touched: other tests of this page have loaded the code of theirs. */
async function untouchedSelectBox(): Promise<typeof import('./select-box.tsx')> {
  const path = './select-box.tsx?untouched';
  return (await import(/* @vite-ignore */ path)) as typeof import('./select-box.tsx');
}

test('a select box that waits for its code looks as with it, and opens when it was pressed before the code was there', async () => {
  const { SelectBox } = await untouchedSelectBox();
  const chosen: string[] = [];
  await draw(
    <MantineProvider theme={theme}>
      <div style={{ width: 240 }}>
        <SelectBox
          label="Range"
          options={[
            { value: 'a', label: 'Daily' },
            { value: 'b', label: 'Weekly' },
          ]}
          value="a"
          onChange={(value) => chosen.push(value)}
        />
      </div>
    </MantineProvider>,
  );
  const box = page.getByRole('combobox', { name: 'Range' });
  await expect.element(box).toHaveValue('Daily');
  const waiting = box.element();
  const styleOf = (element: Element) => {
    const { width, height, left, top } = element.getBoundingClientRect();
    const { color, backgroundColor, borderColor, fontSize, paddingLeft, paddingRight, cursor } = getComputedStyle(element);
    return { width, height, left, top, color, backgroundColor, borderColor, fontSize, paddingLeft, paddingRight, cursor };
  };
  const before = styleOf(waiting);
  expect(waiting.getAttribute('aria-expanded')).toBe('false');
  // It has appeared under a pointer that rests: nobody is about to need it.
  for (const type of ['pointerover', 'pointerenter'])
    waiting.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'mouse' }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(box.element()).toBe(waiting);
  waiting.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, pointerType: 'mouse' }));
  expect(box.element()).toBe(waiting); // it is the one without code that is pressed
  await page.getByRole('option', { name: 'Weekly' }).click();
  expect(chosen).toEqual(['b']);
  expect(box.element()).not.toBe(waiting);
  page.getByRole('combobox', { name: 'Range' }).element().blur();
  await expect.poll(() => styleOf(box.element())).toEqual(before);
});
