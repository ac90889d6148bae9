// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The contract of transaction mixes: a token that anybody may mint, and calls that use gas or storage.
contract Bench {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address account => uint256 tokens) public balanceOf;
    uint256 public totalSupply;

    mapping(uint256 index => uint256 value) private cells;
    uint256 private cellCount;

    /// Moves tokens of the sender. It reverts if the sender has too few.
    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Creates tokens.
    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    /// Hashes until it has used an amount of gas. It reverts if less is left.
    function burn(uint256 amount) external view returns (bytes32 digest) {
        uint256 end = gasleft() - amount;
        while (gasleft() > end) {
            assembly ("memory-safe") {
                mstore(0, digest)
                digest := keccak256(0, 32)
            }
        }
    }

    /// Writes a number of storage slots that were never used.
    function store(uint256 slots) external {
        uint256 end = cellCount + slots;
        for (uint256 i = cellCount; i < end; i++) {
            cells[i] = block.number + 1;
        }
        cellCount = end;
    }
}
