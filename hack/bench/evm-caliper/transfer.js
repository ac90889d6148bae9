'use strict';

// Caliper's connector calls contracts alone: a call to an address without code is a transfer with four bytes of data.
const {WorkloadModuleBase} = require('@hyperledger/caliper-core');

class Transfer extends WorkloadModuleBase {
    async submitTransaction() {
        await this.sutAdapter.sendRequests({contract: 'recipient', verb: 'nothing', args: [], readOnly: false});
    }
}

module.exports.createWorkloadModule = () => new Transfer();
