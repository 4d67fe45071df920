import '@mantine/core/styles.css';
import './ui.css';
import { MantineProvider } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { draw as drawn } from '../testing/draw.tsx';
import { holdMoments, pass } from '../testing/held-time.ts';
import { cssVariables, theme } from '../theme.ts';
import { Button } from './button.tsx';
import { CardPanel } from './card-panel.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import type { DataColumn } from './data-table.tsx';
import { DataTable } from './data-table.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { MultiSelectBox } from './multi-select-box.tsx';
import { onDemand } from './on-demand.tsx';
import { SelectBox } from './select-box.tsx';
import { Switch } from './switch.tsx';
import { TabStrip } from './tab-strip.tsx';

const draw = (content: ReactNode) =>
  drawn(
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} forceColorScheme="dark">
      {content}
    </MantineProvider>,
  );

test('WIDGET-01 a tab strip shows the panel of the chosen tab only', async () => {
  function Strip() {
    const [value, setValue] = useState<'a' | 'b'>('a');
    const tabs = [
      { value: 'a', label: 'First', panel: <p>panel one</p> },
      { value: 'b', label: 'Second', panel: <p>panel two</p> },
    ] as const;
    return <TabStrip label="Strip" tabs={tabs} value={value} onChange={setValue} />;
  }
  await draw(<Strip />);
  await expect.element(page.getByRole('tabpanel', { name: 'First' })).toHaveTextContent('panel one');
  await expect.element(page.getByText('panel two')).not.toBeInTheDocument();
  await page.getByRole('tab', { name: 'Second' }).click();
  await expect.element(page.getByRole('tabpanel', { name: 'Second' })).toHaveTextContent('panel two');
  await userEvent.keyboard('{ArrowLeft}');
  await expect.element(page.getByText('panel one')).toBeVisible();
});

describe('button', () => {
  test('WIDGET-02 it has four variants that look different', async () => {
    const variants = ['primary', 'secondary', 'ghost', 'destructive'] as const;
    await draw(
      variants.map((variant) => (
        <Button key={variant} variant={variant}>
          {variant}
        </Button>
      )),
    );
    const looks = variants.map((variant) => getComputedStyle(page.getByRole('button', { name: variant }).element()).backgroundColor);
    expect(new Set(looks).size).toBe(4);
  });

  test('WIDGET-03 while loading it keeps its words, is marked busy and takes no clicks', async () => {
    const click = vi.fn();
    await draw(
      <Button loading onClick={click}>
        Saving...
      </Button>,
    );
    const button = page.getByRole('button', { name: 'Saving...' });
    await expect.element(button).toBeDisabled();
    await expect.element(button).toHaveAttribute('aria-busy', 'true');
    (button.element() as HTMLButtonElement).click();
    expect(click).not.toHaveBeenCalled();
  });
});

test('WIDGET-04, OP-76 a switch exists in three sizes, medium by default', async () => {
  const sizes = ['small', 'medium', 'large'] as const;
  await draw(
    <>
      {sizes.map((size) => (
        <Switch key={size} label={size} size={size} checked onChange={() => undefined} />
      ))}
      <Switch label="plain" checked onChange={() => undefined} />
    </>,
  );
  const heights = [...sizes, 'plain'].map((name) => {
    const track = page.getByRole('switch', { name }).element().parentElement?.querySelector('.mantine-Switch-track');
    return track?.getBoundingClientRect().height ?? 0;
  });
  expect(heights[0]).toBeLessThan(heights[1] ?? 0);
  expect(heights[1]).toBeLessThan(heights[2] ?? 0);
  expect(heights[3]).toBe(heights[1]);
});

describe('select box', () => {
  test('WIDGET-05 it takes one choice or several', async () => {
    const one = vi.fn();
    function Several() {
      const [value, setValue] = useState<string[]>(['a']);
      return <MultiSelectBox label="Several" options={['a', 'b', 'c']} value={value} onChange={setValue} />;
    }
    await draw(
      <>
        <SelectBox
          label="One"
          options={[
            { value: 'x', label: 'Ex' },
            { value: 'y', label: 'Why' },
          ]}
          value="x"
          onChange={one}
        />
        <Several />
      </>,
    );
    await page.getByRole('combobox', { name: 'One' }).click();
    await page.getByRole('option', { name: 'Why' }).click();
    expect(one).toHaveBeenCalledExactlyOnceWith('y');
    await page.getByRole('combobox', { name: 'Several' }).click();
    await page.getByRole('option', { name: 'c' }).click();
    await expect.element(page.getByText('c', { exact: true })).toBeVisible();
    await expect.element(page.getByText('a', { exact: true })).toBeVisible();
  });

  test('only the box one is at holds its options, and an arrow key opens it at the chosen one', async () => {
    const two = vi.fn();
    await draw(
      <>
        <SelectBox label="One" options={['a', 'b']} value="a" onChange={() => undefined} />
        <SelectBox label="Two" options={['k', 'l', 'm']} value="l" onChange={two} />
      </>,
    );
    const held = () => [...document.querySelectorAll('[role="option"]')].map((option) => option.textContent);
    await page.getByRole('combobox', { name: 'One' }).click();
    await expect.element(page.getByRole('option', { name: 'b' })).toBeVisible();
    expect(held()).toEqual(['a', 'b']);
    await userEvent.keyboard('{Escape}');
    await userEvent.tab();
    await expect.poll(held).toEqual(['k', 'l', 'm']);
    await userEvent.keyboard('{ArrowDown}');
    await expect.element(page.getByRole('option', { name: 'l' })).toHaveAttribute('data-combobox-selected', 'true');
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(two).toHaveBeenCalledExactlyOnceWith('m');
    await userEvent.tab();
    await expect.poll(held).toEqual([]);
  });

  test('one that is searched opens when one comes to it, and an arrow key moves on from the chosen one', async () => {
    const taken = vi.fn();
    await draw(
      <>
        <button>Before</button>
        <SelectBox label="Searched" options={['k', 'l', 'm', 'n']} value="l" onChange={taken} searchable />
      </>,
    );
    await page.getByRole('combobox', { name: 'Searched' }).click(); // its code is there from here on
    await userEvent.keyboard('{Escape}');
    await page.getByRole('button', { name: 'Before' }).click();
    await userEvent.tab();
    await expect.element(page.getByRole('option', { name: 'l' })).toBeVisible();
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(taken).toHaveBeenCalledExactlyOnceWith('m');
  });

  test('WIDGET-06 without options it says so', async () => {
    await draw(
      <>
        <SelectBox label="One" options={[]} value={null} onChange={() => undefined} />
        <MultiSelectBox label="Several" options={[]} value={[]} onChange={() => undefined} />
      </>,
    );
    for (const name of ['One', 'Several']) {
      await page.getByRole('combobox', { name }).click();
      await expect.element(page.getByRole('listbox', { name }).getByText('No options available')).toBeVisible();
      await userEvent.keyboard('{Escape}');
    }
  });
});

test('WIDGET-07 a card panel is rounded and dark in the dark look', async () => {
  await draw(<CardPanel title="Trade Chart">content</CardPanel>);
  const style = getComputedStyle(page.getByRole('region', { name: 'Trade Chart' }).element());
  expect([style.backgroundColor, style.borderTopLeftRadius]).toEqual(['rgb(23, 27, 38)', '8px']);
});

test('WIDGET-08, BOTS-23 a confirmation dialog has title, message and two buttons', async () => {
  const confirm = vi.fn();
  const cancel = vi.fn();
  await draw(<ConfirmDialog opened title="Pause Bot" message="Are you sure?" onConfirm={confirm} onCancel={cancel} />);
  const dialog = page.getByRole('dialog', { name: 'Pause Bot' });
  await expect.element(dialog.getByText('Are you sure?')).toBeVisible();
  await expect.element(dialog.getByRole('button', { name: 'Cancel' })).toHaveFocus();
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  expect([confirm.mock.calls.length, cancel.mock.calls.length]).toEqual([1, 0]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await userEvent.keyboard('{Escape}');
  expect([confirm.mock.calls.length, cancel.mock.calls.length]).toEqual([1, 2]);
});

test('a long table draws its first rows also where it has no height yet, and more when it gets one', async () => {
  const columns: DataColumn<{ id: string }>[] = [{ key: 'id', title: 'Id', value: ({ id }) => id, width: 100 }];
  const rows = Array.from({ length: 1000 }, (_, i) => ({ id: `row ${i}` }));
  function Later() {
    const [display, setDisplay] = useState<'none' | 'block'>('none');
    return (
      <>
        <Button onClick={() => setDisplay('block')}>Lay Out</Button>
        <div style={{ display }}>
          <DataTable label="Long" long maxHeight={280} columns={columns} rows={rows} rowKey={({ id }) => id} />
        </div>
      </>
    );
  }
  await draw(<Later />);
  const drawnRows = () => document.querySelectorAll('[aria-rowindex]').length;
  await expect.poll(drawnRows).toBeGreaterThanOrEqual(10);
  expect(drawnRows()).toBeLessThan(100);
  await page.getByRole('button', { name: 'Lay Out' }).click();
  await expect.element(page.getByText('row 0', { exact: true })).toBeVisible();
  expect(drawnRows()).toBeLessThan(100);
});

test('a table sorts ascending first, then descending, and never unsorts; N/A sorts lowest', async () => {
  const columns: DataColumn<{ id: string; size: number | null }>[] = [
    { key: 'id', title: 'Id', value: (row) => row.id, sortable: false },
    { key: 'size', title: 'Size', value: (row) => row.size, show: (row) => row.size ?? 'N/A', numeric: true },
  ];
  const rows = [
    { id: 'a', size: 2 },
    { id: 'b', size: null },
    { id: 'c', size: 10 },
  ];
  await draw(<DataTable label="Sizes" columns={columns} rows={rows} rowKey={(row) => row.id} />);
  const order = () => [...document.querySelectorAll('tbody tr')].map((row) => row.firstChild?.textContent).join('');
  const header = page.getByRole('columnheader', { name: 'Size' });
  expect(order()).toBe('abc');
  for (const [direction, expected] of [
    ['ascending', 'bac'],
    ['descending', 'cab'],
    ['ascending', 'bac'],
  ] as const) {
    await page.getByRole('button', { name: 'Size' }).click();
    await expect.element(header).toHaveAttribute('aria-sort', direction);
    expect(order()).toBe(expected);
  }
  await expect.element(page.getByRole('button', { name: 'Id' })).not.toBeInTheDocument();
});

test('a part is drawn as soon as its code is there, however short its placeholder was seen', async () => {
  const { promise, resolve } = Promise.withResolvers<ComponentType<{ name: string }>>();
  const Part = onDemand<{ name: string }>(
    () => promise,
    ({ name }) => <p>{`waiting for ${name}`}</p>,
  );
  const { rerender } = await render(<Part name="one" />);
  await expect.element(page.getByText('waiting for one')).toBeVisible();
  const isDrawn = new Promise<string>((drawn) => {
    new MutationObserver(() => {
      if (document.body.textContent.includes('here is one')) drawn('drawn');
    }).observe(document.body, { childList: true, subtree: true });
  });
  resolve(({ name }) => <p>{`here is ${name}`}</p>);
  // React itself would keep it back for 300 ms; these turns take a third of that, and more only where React's own do, too.
  const isLate = async (): Promise<string> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((next) => setTimeout(next, 4));
    return 'late';
  };
  expect(await Promise.race([isDrawn, isLate()])).toBe('drawn');
  await rerender(
    <>
      <Part name="one" />
      <Part name="two" />
    </>,
  );
  await expect.element(page.getByText('here is two')).toBeVisible();
});

test('a part whose code cannot be fetched says that the server was not reachable', async () => {
  const Missing = onDemand(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module: https://x/part.js')));
  await draw(
    <ErrorBoundary>
      <Missing />
    </ErrorBoundary>,
  );
  await expect.element(page.getByText('This part of the page could not be loaded: the server was not reachable.')).toBeVisible();
});

test('a part whose code cannot be fetched takes nothing else with it, and is there once the server is reachable again', async () => {
  let isAway = true;
  let tries = 0;
  const Part = onDemand(async () => {
    tries += 1;
    if (isAway) throw new TypeError('Failed to fetch dynamically imported module: https://x/part.js');
    return () => <p>here it is</p>;
  });
  holdMoments();
  await draw(
    <ErrorBoundary>
      <p>the rest</p>
      <Part />
    </ErrorBoundary>,
  );
  const unloaded = page.getByText('This part of the page could not be loaded: the server was not reachable.');
  await expect.element(unloaded).toBeVisible();
  await expect.element(page.getByText('the rest')).toBeVisible();
  await pass(5_000);
  await expect.poll(() => tries).toBe(2);
  await expect.element(unloaded).toBeVisible();
  isAway = false;
  await pass(5_000);
  await expect.element(page.getByText('here it is')).toBeVisible();
  await expect.element(unloaded).not.toBeInTheDocument();
  await pass(20_000);
  expect(tries).toBe(3);
});

test('a part that breaks or cannot be fetched leaves a way out', async () => {
  const Missing = onDemand(() => Promise.reject(new Error('the chunk is gone')));
  await draw(
    <>
      <p>the rest</p>
      <ErrorBoundary>
        <Missing />
      </ErrorBoundary>
    </>,
  );
  await expect.element(page.getByRole('alert')).toBeVisible();
  await expect.element(page.getByText('Something went wrong. Please try again.')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Reload' })).toBeVisible();
  await expect.element(page.getByText('the rest')).toBeVisible();
});
