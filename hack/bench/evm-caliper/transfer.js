'use strict';

// Caliper's connector can only call contracts. A call to an address without code is a transfer with four bytes of data.
// The worker writes the CPU time of a round, in seconds, to the file cpu.
const fs = require('fs');
const {WorkloadModuleBase} = require('@hyperledger/caliper-core');

class Transfer extends WorkloadModuleBase {
    async initializeWorkloadModule(...context) {
        await super.initializeWorkloadModule(...context);
        this.before = process.cpuUsage();
    }

    async submitTransaction() {
        await this.sutAdapter.sendRequests({contract: 'recipient', verb: 'nothing', args: [], readOnly: false});
    }

    async cleanupWorkloadModule() {
        const used = process.cpuUsage(this.before);
        fs.writeFileSync('cpu', `${(used.user + used.system) / 1e6}\n`);
    }
}

module.exports.createWorkloadModule = () => new Transfer();
