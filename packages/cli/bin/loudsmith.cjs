#!/usr/bin/env node
'use strict'

import('../dist/main/cli.js')
