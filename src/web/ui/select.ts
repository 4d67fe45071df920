/** What `SelectBox` is made of; a file of its own, so that it is fetched by itself. */
export { Select } from '@mantine/core';
