/** Tools for blind listening tests. */

import { exactly } from '../../src-contract/common.ts'
import { ListeningTestRequest, listeningTestEndpoints } from '../../src-contract/listening-tests.ts'
import { pathArgument } from './shared-arguments.ts'
import { tool } from './tool.ts'

const { test_id } = listeningTestEndpoints.readListeningTest.params.properties

export const LISTENING_TOOLS = [
  tool({
    name: 'create_listening_test',
    title: 'Make a listening test',
    description:
      'Writes a folder with one page, in which people compare masters blind at one loudness, in any browser and without a network. Free.',
    input: exactly({
      ...ListeningTestRequest.properties,
      folder: pathArgument('Full path of an allowed folder, in which that of the test is made.'),
    }),
    effect: 'changes',
    endpoint: 'createListeningTest',
    run: async (body, { client, signal }) => ({ value: await client.call('createListeningTest', { body, signal }) }),
  }),
  tool({
    name: 'read_listening_test',
    title: 'Read a listening test',
    description: 'What was compared, who chose what, and the outcome in a sentence.',
    input: exactly({ test_id }),
    effect: 'reads',
    endpoint: 'readListeningTest',
    run: async (params, { client, signal }) => ({ value: await client.call('readListeningTest', { params, signal }) }),
  }),
  tool({
    name: 'add_listening_result',
    title: 'Read the result of a listener',
    description: 'Takes the result file that the page saved; the same one again changes nothing.',
    input: exactly({
      test_id,
      result: listeningTestEndpoints.addListeningResult.body,
    }),
    effect: 'changes',
    endpoint: 'addListeningResult',
    run: async ({ test_id, result }, { client, signal }) => ({
      value: await client.call('addListeningResult', { params: { test_id }, body: result, signal }),
    }),
  }),
]
